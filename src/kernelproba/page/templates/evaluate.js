"use strict";
// A model is a list of nodes, each an operator of ONNX from named tensors to named tensors; numbers are doubles.
// makeModel(description)(inputs) returns the tensors that the description names as outputs.
const { makeModel, unpack } = (() => {
  const count = (shape) => shape.reduce((a, b) => a * b, 1);
  const tensor = (shape, data) => ({ shape, data });
  const zeros = (shape) => tensor(shape, new Float64Array(count(shape)));

  // Constants: short ones are lists, others bytes; of matrices each line may be codes of a few different numbers.
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
  const line = (packed) => {
    if (typeof packed === "string") return new Float64Array(bytes(packed));
    const levels = new Float64Array(bytes(packed.levels));
    return Float64Array.from(new Uint8Array(bytes(packed.codes)), (code) => levels[code]);
  };
  const unpack = (packed) => {
    const { shape } = packed;
    if (packed.texts) return tensor(shape, packed.texts);
    if (packed.list) return tensor(shape, Float64Array.from(packed.list));
    if (packed.bytes) return tensor(shape, new Float64Array(bytes(packed.bytes)));
    const found = zeros(shape), [, k] = shape;
    packed.lines.map(line).forEach((values, j) => values.forEach((value, i) => {
      found.data[packed.by === "column" ? i * k + j : j * k + i] = value;
    }));
    return found;
  };

  // Steps through a tensor of one shape as if it had another that it broadcasts to.
  const joint = (a, b) => {
    const n = Math.max(a.length, b.length), at = (s, i) => s[i - n + s.length] ?? 1;
    return Array.from({ length: n }, (_, i) => (at(a, i) === 1 ? at(b, i) : at(a, i)));
  };
  const places = (from, to) => {
    const strides = Array(to.length).fill(0);
    for (let i = from.length - 1, step = 1; i >= 0; i--) {
      if (from[i] !== 1) strides[i + to.length - from.length] = step;
      step *= from[i];
    }
    const found = new Int32Array(count(to)), index = Array(to.length).fill(0);
    for (let p = 0, at = 0; p < found.length; p++) {
      found[p] = at;
      for (let i = to.length - 1; i >= 0; i--) {
        at += strides[i];
        if (++index[i] < to[i]) break;
        at -= strides[i] * to[i];
        index[i] = 0;
      }
    }
    return found;
  };
  const binary = (f) => ([a, b]) => {
    const shape = joint(a.shape, b.shape), found = zeros(shape), n = found.data.length, x = a.data, y = b.data;
    if (x.length === n && y.length === n) for (let i = 0; i < n; i++) found.data[i] = f(x[i], y[i]);
    else if (y.length === 1) for (let i = 0; i < n; i++) found.data[i] = f(x[i], y[0]);
    else {
      const left = places(a.shape, shape), right = places(b.shape, shape);
      for (let i = 0; i < n; i++) found.data[i] = f(x[left[i]], y[right[i]]);
    }
    return [found];
  };
  const unary = (f) => ([a]) => [tensor(a.shape, a.data.map(f))];

  // The axes before, at and after one of them.
  const around = (shape, axis) => [count(shape.slice(0, axis)), shape[axis], count(shape.slice(axis + 1))];
  const reduce = (start, f, end = (total) => total) => ([a, axes]) => {
    const axis = axes.data[0], [outer, n, inner] = around(a.shape, axis);
    const found = zeros(a.shape.map((length, i) => (i === axis ? 1 : length)));
    for (let o = 0; o < outer; o++) for (let i = 0; i < inner; i++) {
      let total = start;
      for (let k = 0; k < n; k++) total = f(total, a.data[(o * n + k) * inner + i]);
      found.data[o * inner + i] = end(total, n);
    }
    return [found];
  };
  const extreme = (better) => ([a]) => {
    const [n, c] = a.shape, found = zeros([n]);
    for (let i = 0; i < n; i++) {
      let best = 0;
      for (let k = 1; k < c; k++) if (better(a.data[i * c + k], a.data[i * c + best])) best = k;
      found.data[i] = best;
    }
    return [found];
  };
  const matMul = ([a, b]) => {
    const n = a.shape[0], k = a.shape[1], m = b.shape[1] ?? 1;
    const found = zeros(b.shape.length === 1 ? [n] : [n, m]);
    for (let i = 0; i < n; i++) for (let l = 0; l < k; l++) {
      const x = a.data[i * k + l];
      if (x !== 0) for (let j = 0; j < m; j++) found.data[i * m + j] += x * b.data[l * m + j];
    }
    return [found];
  };
  const gather = ([a, index], { axis = 0 }) => {
    const [outer, n, inner] = around(a.shape, axis), found = [], m = index.data.length;
    for (let o = 0; o < outer; o++) for (let j = 0; j < m; j++) {
      const from = (o * n + index.data[j]) * inner;
      for (let i = 0; i < inner; i++) found.push(a.data[from + i]);
    }
    const shape = [...a.shape.slice(0, axis), ...index.shape, ...a.shape.slice(axis + 1)];
    return [tensor(shape, typeof found[0] === "string" ? found : Float64Array.from(found))];
  };
  const concat = (parts, { axis }) => {
    const length = parts.reduce((total, part) => total + (part.shape[axis]), 0);
    const found = zeros(parts[0].shape.map((n, i) => (i === axis ? length : n)));
    const [outer, , inner] = around(found.shape, axis);
    let at = 0;
    for (let o = 0; o < outer; o++) for (const part of parts) {
      const size = part.shape[axis] * inner;
      found.data.set(part.data.subarray(o * size, (o + 1) * size), at);
      at += size;
    }
    return [found];
  };
  const reshape = ([a, to]) => {
    const known = [...to.data], rest = -count(known);
    return [tensor(known.map((n) => (n === -1 ? a.data.length / rest : n)), a.data)];
  };
  const transpose = ([a], { perm }) => {
    const found = zeros(perm.map((axis) => a.shape[axis]));
    const step = a.shape.map((_, i) => count(a.shape.slice(i + 1)));
    found.data.forEach((_, p) => {
      let rest = p, from = 0;
      for (let i = perm.length - 1; i >= 0; i--) {
        from += (rest % found.shape[i]) * step[perm[i]];
        rest = Math.floor(rest / found.shape[i]);
      }
      found.data[p] = a.data[from];
    });
    return [found];
  };
  const where = ([condition, yes, no]) => {
    const shape = joint(condition.shape, joint(yes.shape, no.shape)), found = zeros(shape);
    const [c, y, n] = [condition, yes, no].map((each) => places(each.shape, shape));
    found.data.forEach((_, i) => { found.data[i] = condition.data[c[i]] ? yes.data[y[i]] : no.data[n[i]]; });
    return [found];
  };
  const expand = ([a, to]) => {
    const shape = joint(a.shape, [...to.data]), from = places(a.shape, shape);
    return [tensor(shape, Float64Array.from(from, (i) => a.data[i]))];
  };
  const logSoftmax = ([a]) => {
    const [n, c] = a.shape, found = zeros(a.shape);
    for (let i = 0; i < n; i++) {
      const row = a.data.subarray(i * c, (i + 1) * c), top = row.reduce((x, y) => Math.max(x, y), -Infinity);
      const total = Math.log(row.reduce((sum, value) => sum + Math.exp(value - top), 0));
      row.forEach((value, k) => { found.data[i * c + k] = value - top - total; });
    }
    return [found];
  };
  const topK = ([a, k]) => {
    const [n, c] = a.shape, m = k.data[0], values = zeros([n, m]), index = zeros([n, m]);
    for (let i = 0; i < n; i++) {
      const order = [...Array(c).keys()].sort((p, q) => a.data[i * c + q] - a.data[i * c + p] || p - q);
      for (let j = 0; j < m; j++) {
        index.data[i * m + j] = order[j];
        values.data[i * m + j] = a.data[i * c + order[j]];
      }
    }
    return [values, index];
  };
  const lookUp = ([a], { keys_strings: keys, values_floats: values, default_float: otherwise }) => {
    const known = new Map(keys.map((key, i) => [key, values[i]]));
    return [tensor(a.shape, Float64Array.from(a.data, (text) => (known.has(text) ? known.get(text) : otherwise) ?? NaN))];
  };
  // Texts as frequencies of their letters: runs of 3 and 4 in each word with blanks around it, as scikit-learn counts.
  const letters = ([a], { pieces, idf }) => {
    const place = new Map(pieces.map((piece, j) => [piece, j])), found = zeros([a.data.length, pieces.length]);
    a.data.forEach((text, i) => {
      const row = found.data.subarray(i * pieces.length, (i + 1) * pieces.length);
      for (const word of text.toLowerCase().split(/\s+/u).filter((each) => each)) {
        const padded = [...` ${word} `];
        for (const n of [3, 4]) {
          for (let at = 0; at === 0 || at + n <= padded.length; at++) {
            const j = place.get(padded.slice(at, at + n).join(""));
            if (j !== undefined) row[j] += 1;
          }
          if (padded.length <= n) break; // a short word counts once
        }
      }
      row.forEach((times, j) => { row[j] = times ? (1 + Math.log(times)) * idf[j] : 0; });
      const norm = Math.sqrt(row.reduce((sum, x) => sum + x * x, 0));
      if (norm) row.forEach((_, j) => { row[j] /= norm; });
    });
    return [found];
  };
  const slice = (a, axis, k) => {
    const [outer, n, inner] = around(a.shape, axis), shape = a.shape.filter((_, i) => i !== axis), found = zeros(shape);
    for (let o = 0; o < outer; o++) for (let i = 0; i < inner; i++) found.data[o * inner + i] = a.data[(o * n + k) * inner + i];
    return found;
  };
  const scan = (given, { body, num_scan_inputs: m, scan_input_axes: axes }, known) => {
    let state = given.slice(0, -m);
    const lines = given.slice(-m), steps = lines[0].shape[axes[0]];
    for (let k = 0; k < steps; k++) state = run(body, [...state, ...lines.map((each, j) => slice(each, axes[j], k))], known);
    return state;
  };
  const loop = ([most, going, ...state], { body }, known) => {
    for (let k = 0; k < most.data[0] && going.data[0]; k++) {
      [going, ...state] = run(body, [tensor([], [k]), going, ...state], known);
    }
    return state;
  };

  const operators = {
    Add: binary((x, y) => x + y), Sub: binary((x, y) => x - y), Mul: binary((x, y) => x * y),
    Div: binary((x, y) => x / y), Pow: binary(Math.pow), Min: binary(Math.min), Max: binary(Math.max),
    Greater: binary((x, y) => +(x > y)), Less: binary((x, y) => +(x < y)), Equal: binary((x, y) => +(x === y)),
    And: binary((x, y) => +(x && y)), MatMul: matMul, Where: where,
    Neg: unary((x) => -x), Exp: unary(Math.exp), Log: unary(Math.log), Abs: unary(Math.abs), Sqrt: unary(Math.sqrt),
    Sin: unary(Math.sin), Floor: unary(Math.floor), Tanh: unary(Math.tanh), IsNaN: unary((x) => +Number.isNaN(x)),
    Sigmoid: unary((x) => 1 / (1 + Math.exp(-x))), Identity: (given) => given, Cast: (given) => given,
    ReduceSum: reduce(0, (x, y) => x + y), ReduceMax: reduce(-Infinity, Math.max),
    ReduceMean: reduce(0, (x, y) => x + y, (total, n) => total / n),
    ArgMax: extreme((x, y) => x > y), ArgMin: extreme((x, y) => x < y), LogSoftmax: logSoftmax, TopK: topK,
    Gather: gather, Concat: concat, Reshape: reshape, Transpose: transpose, Expand: expand,
    Shape: ([a]) => [tensor([a.shape.length], Float64Array.from(a.shape))],
    Unsqueeze: ([a, axes]) => [tensor(a.shape.toSpliced ? a.shape.toSpliced(axes.data[0], 0, 1)
      : [...a.shape.slice(0, axes.data[0]), 1, ...a.shape.slice(axes.data[0])], a.data)],
    LabelEncoder: lookUp, LetterFrequencies: letters, Scan: scan, Loop: loop,
  };
  function run(graph, given, known) {
    const tensors = new Map(graph.inputs.map((name, i) => [name, given[i]]));
    const find = (name) => tensors.get(name) ?? known.get(name);
    for (const [operator, from, to, settings] of graph.nodes) {
      const made = operators[operator](from.map(find), settings ?? {}, known);
      to.forEach((name, i) => tensors.set(name, made[i]));
    }
    return graph.outputs.map(find);
  }

  const makeModel = (description) => {
    const known = new Map(Object.entries(description.constants).map(([name, packed]) => [name, unpack(packed)]));
    return (given) => run(description, given.map((value) => tensor([1, 1], typeof value === "string" ? [value] : Float64Array.of(value))), known);
  };
  return { makeModel, unpack };
})();
