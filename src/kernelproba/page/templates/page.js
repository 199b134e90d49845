(() => {
  const model = JSON.parse(document.getElementById("model").textContent);
  const compute = makeModel(model.graph), { fields, classes } = model;
  const MOST_BARS = 12, MOST_ROWS = 5, MOST_VALUES = 10, CANCELLING = 20, DAY = 86400000, TIE = 1e-12;
  const byId = (id) => document.getElementById(id);

  // Names and values of others are text and nothing else; what could not be seen is shown as a box.
  // eslint-disable-next-line no-control-regex
  const seen = (text) => String(text).replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/gu, "\ufffd");
  const element = (tag, settings = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [key, value] of Object.entries(settings)) {
      if (key in made) made[key] = value; else made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  };
  const bdi = (text) => element("bdi", { textContent: seen(text) });
  const short = (text, limit = 60) => (text.length > limit ? text.slice(0, limit - 1) + "\u2026" : text);

  const percent = (p) => {
    if (p > 0 && p < 0.0005) return "< 0.1%";
    if (p < 1 && p > 0.9995) return "> 99.9%";
    return (100 * p).toFixed(1) + "%";
  };
  const plain = (value) => String(Number(value.toPrecision(6)));
  const shown = (field, value) => {
    if (value === null || value === undefined) return "\u2013";
    if (value === model.other) return "another value";
    if (field.kind === "date") return new Date(value * DAY).toISOString().slice(0, field.whole ? 10 : 16).replace("T", " ");
    if (field.kind === "time") return new Date(value * 1000).toISOString().slice(11, 19);
    return typeof value === "number" ? plain(value) : value;
  };

  // Fields: each knows how to be read and how to be filled; an empty one is a missing value.
  const inputs = [];
  const isBeyond = (field, value) => typeof value === "number" && field.low !== null && (value < field.low || value > field.high);
  const choice = (field, id) => {
    const select = element("select", { id }, element("option", { value: "", textContent: "missing" }));
    field.levels.forEach((level, i) => select.append(element("option", { value: String(i), textContent: seen(short(level, 80)) })));
    if (field.kind !== "flag") select.append(element("option", { value: "other", textContent: "another value" }));
    return {
      parts: [select],
      read: () => (select.value === "" ? "" : select.value === "other" ? model.other : field.levels[Number(select.value)]),
      fill: (value) => {
        const at = field.levels.indexOf(value);
        select.value = at >= 0 ? String(at) : value === model.other && field.kind !== "flag" ? "other" : "";
      },
    };
  };
  const moment = (field, id) => {
    const unit = field.kind === "time" ? 1000 : DAY;
    const type = field.kind === "time" ? "time" : field.whole ? "date" : "datetime-local";
    const input = element("input", { id, type });
    if (type !== "date") input.step = 1;
    return {
      parts: [input],
      read: () => (input.value === "" || Number.isNaN(input.valueAsNumber) ? NaN : input.valueAsNumber / unit),
      fill: (value) => { if (value === null) input.value = ""; else input.valueAsNumber = Math.round(value * unit / 1000) * 1000; },
    };
  };
  const number = (field, id) => {
    const input = element("input", { id, type: "number", step: "any", inputMode: "decimal", placeholder: "missing" });
    const read = () => (input.value.trim() === "" ? NaN : Number(input.value));
    const fill = (value) => { input.value = value === null ? "" : String(value); };
    if (field.low === null || !(field.high > field.low)) return { parts: [input], read, fill };
    const step = field.whole ? 1 : 10 ** Math.floor(Math.log10((field.high - field.low) / 100));
    const ends = [Math.floor(field.low / step) * step, Math.ceil(field.high / step) * step].map((end) => Number(end.toPrecision(12)));
    const slider = element("input", { type: "range", min: ends[0], max: ends[1], step, "aria-label": seen(field.name) + ", slider" });
    const follow = () => { slider.value = String(Number.isNaN(read()) ? field.start : read()); };
    input.addEventListener("input", follow);
    slider.addEventListener("input", () => { input.value = String(Number(Number(slider.value).toPrecision(12))); });
    return { parts: [input, slider], read, fill: (value) => { fill(value); follow(); } };
  };
  const words = (field, id) => {
    const input = element("input", { id, type: "text", placeholder: "missing" });
    return { parts: [input], read: () => input.value.trim(), fill: (value) => { input.value = value ?? ""; } };
  };
  const build = (field, j) => {
    const id = "field" + j;
    const make = field.levels.length ? choice : field.text ? words : field.kind === "number" ? number : moment;
    const control = make(field, id);
    const label = element("label", { htmlFor: id, title: seen(field.name) }, bdi(short(field.name, 80)));
    const box = element("div", { className: "field" }, label, ...control.parts);
    if (field.low !== null) {
      const hint = element("small", { id: id + "hint" }, element("span", { textContent: shown(field, field.low) }), element("span", { textContent: shown(field, field.high) }));
      control.parts[0].setAttribute("aria-describedby", hint.id);
      box.append(hint);
    }
    inputs.push({ ...control, box, field });
    return box;
  };
  const form = byId("fields");
  form.append(...fields.map(build));
  const values = () => inputs.map((each) => each.read());
  const fillRow = (row) => { inputs.forEach((each, j) => each.fill(row[j] ?? null)); update(); };
  const start = () => fillRow(fields.map((field) => field.start));

  // What the model says of one row; values in the order of the fields: numbers (NaN if missing) or texts ("").
  const pValue = (score) => {
    const { scores, weightFrom, total } = model.novelty;
    let low = 0, high = scores.length;
    while (low < high) { const middle = (low + high) >> 1; if (scores[middle] < score) low = middle + 1; else high = middle; }
    return ((low < scores.length ? weightFrom[low] : 0) + 1) / (total + 1);
  };
  // What a label is judged by: its probability, or the number of known rows that fit no better by the fits without them.
  const known = model.sets.known.map((packed) => unpack(packed).data);
  const upTo = (sorted, p) => {
    let low = 0, high = sorted.length;
    while (low < high) { const middle = (low + high) >> 1; if (sorted[middle] <= p) low = middle + 1; else high = middle; }
    return low;
  };
  const judged = (P, byFold) => (known.length ? P.map((_, k) => byFold.reduce((sum, each, f) => sum + upTo(known[f], each.data[k] * (1 + TIE)), 0)) : P);
  const setOf = (P, worth, level, far) => {
    if (far) return [...P.keys()];
    const members = [...P.keys()].filter((k) => worth[k] >= model.sets.thresholds[level]);
    return members.length ? members : [[...P.keys()].reduce((best, k) => (worth[k] > worth[best] || (worth[k] === worth[best] && P[k] > P[best]) ? k : best))];
  };
  const predict = (row) => {
    const found = compute(row.map((value, j) => (value === null || value === undefined ? (fields[j].text ? "" : NaN) : value)));
    const P = [...found[0].data], answer = { probabilities: P, label: model.labels[found[1].data[0]] };
    let at = 2;
    if (model.novelty) { answer.novelty = found[at++].data[0]; answer.pValue = pValue(answer.novelty); }
    const worth = judged(P, found.slice(at, at + known.length));
    at += known.length;
    const far = model.novelty !== null && answer.novelty > model.novelty.limit;
    answer.sets = Object.fromEntries(Object.keys(model.sets.thresholds).map((level) => [level, setOf(P, worth, level, far)]));
    answer.contributions = model.reasons.map((_, k) => found[at + k]);
    return answer;
  };

  // The answer.
  let explained = null;
  const bar = (k, P, isFirst) => {
    const track = element("span", { className: "track" }, element("span", { style: `width: ${100 * P[k]}%` }));
    const parts = [bdi(classes[k]), element("span", { className: "percent", textContent: percent(P[k]) }), track];
    if (!model.reasons.length) return element("li", { className: isFirst ? "first" : "" }, element("div", { className: "plain" }, ...parts));
    const button = element("button", { type: "button" }, ...parts);
    button.dataset.k = k;
    return element("li", { className: isFirst ? "first" : "" }, button);
  };
  const showBars = (P) => {
    const order = [...P.keys()];
    if (P.length > 6) order.sort((a, b) => P[b] - P[a] || a - b);
    const top = P.indexOf(Math.max(...P)), few = order.slice(0, MOST_BARS), others = order.slice(MOST_BARS);
    const focused = document.activeElement?.dataset?.k;
    const list = few.map((k) => bar(k, P, k === top));
    if (others.length) {
      const rest = others.reduce((sum, k) => sum + P[k], 0);
      list.push(element("li", {}, element("div", { className: "plain" }, `${others.length} other classes`, element("span", { className: "percent", textContent: percent(rest) }))));
    }
    byId("bars").replaceChildren(...list);
    if (focused !== undefined) document.querySelector(`#bars [data-k="${Number(focused)}"]`)?.focus();
  };
  const showSet = (answer) => {
    const members = answer.sets[byId("level").value], all = members.length === classes.length;
    const names = members.slice(0, MOST_BARS).flatMap((k, i) => [i ? ", " : "", bdi(short(classes[k]))]);
    const text = members.length === 1 ? [" alone."] : [` cannot be told apart${all ? ": nothing is ruled out" : ""}.`];
    byId("members").replaceChildren(...names, members.length > MOST_BARS ? ` and ${members.length - MOST_BARS} more` : "", ...text);
  };
  const showNovelty = (answer) => {
    const p = answer.pValue, box = byId("novelty");
    const share = percent(Math.min(p, 1)), isNew = p < 0.05;
    box.classList.toggle("warn", isNew);
    box.firstElementChild.replaceChildren(element("b", { textContent: isNew ? "A new kind of row. " : "A familiar kind of row. " }),
      isNew ? `Only ${share} of the training rows are as unlike the others: do not rely on this answer.`
        : p > 0.995 ? "Nearly all training rows are more unlike the others." : `${share} of the training rows are as unlike the others, or more so.`);
  };
  const showBeyond = () => {
    const far = inputs.filter(({ box, read, field }) => {
      const value = read(), beyond = isBeyond(field, value);
      box.classList.toggle("beyond", beyond);
      box.classList.toggle("missing", typeof value === "number" && Number.isNaN(value));
      return beyond;
    });
    const box = byId("beyond");
    box.hidden = far.length === 0;
    box.classList.add("warn");
    box.replaceChildren("Beyond all training rows: ", ...far.flatMap(({ field }, i) => [i ? ", " : "", bdi(short(field.name))]), ".");
  };

  // Reasons: the contributions of a training row to all scores that are for or against a class.
  const voices = (answer, k) => {
    const total = new Map();
    let constant = 0;
    model.reasons.forEach(({ rows, sides, intercept }, e) => {
      const { data, shape: [, scores] } = answer.contributions[e];
      sides.forEach(([for_, against], s) => {
        const sign = for_ === k ? 1 : against === k ? -1 : 0;
        if (!sign) return;
        constant += sign * intercept[s];
        rows.forEach((row, j) => {
          const who = row < 0 ? `center ${e}.${j}` : row;
          total.set(who, (total.get(who) ?? 0) + sign * data[j * scores + s]);
        });
      });
    });
    return { list: [...total].sort((a, b) => b[1] - a[1]), constant };
  };
  const signed = (x) => (x < 0 ? "\u2212" : "+") + Math.abs(x).toFixed(3);
  const place = model.rows ? new Map(model.rows.numbers.map((row, i) => [row, i])) : null;
  const voice = ([who, amount], largest) => {
    const at = place.get(who), rows = model.rows;
    const title = element("span", { className: "who" }, at === undefined ? "a centre" : "row ", ...(at === undefined ? [] : [bdi(short(rows.names[at]))]));
    if (at !== undefined && rows.labels.length) title.append(": ", bdi(short(rows.labels[at])));
    const item = element("li", {}, title, element("span", { className: "amount", textContent: signed(amount) }),
      element("span", { className: "track" }, element("span", { style: `width: ${100 * Math.abs(amount) / largest}%` })));
    if (at === undefined) return item;
    const row = fields.map((_, j) => rows.values[j]?.[at] ?? null);
    const list = element("span", { className: "values" });
    const told = fields.map((field, j) => [field, row[j]]).filter(([field]) => field.kind !== "text");
    for (const [field, value] of told.slice(0, MOST_VALUES)) {
      list.append(element("span", { className: "value" }, bdi(short(field.name, 30)), " ", element("b", {}, bdi(short(String(shown(field, value)), 30)))), " ");
    }
    if (told.length > MOST_VALUES) list.append(element("span", { className: "value", textContent: `and ${told.length - MOST_VALUES} more` }), " ");
    const use = element("button", { type: "button", textContent: "fill in", "aria-label": `Fill in row ${seen(rows.names[at])}` });
    use.addEventListener("click", () => { fillRow(row); byId("fields").scrollIntoView({ block: "start" }); byId("field0")?.focus({ preventScroll: true }); });
    list.append(use);
    item.append(list);
    return item;
  };
  const showReasons = (answer) => {
    const k = explained ?? answer.probabilities.indexOf(Math.max(...answer.probabilities));
    const { list, constant } = voices(answer, k);
    const pro = list.filter(([, amount]) => amount > 0).slice(0, MOST_ROWS);
    const contra = list.filter(([, amount]) => amount < 0).reverse().slice(0, MOST_ROWS);
    const largest = Math.max(...[...pro, ...contra].map(([, amount]) => Math.abs(amount)), 1e-300);
    document.querySelector("#reasons .chosen").replaceChildren("for or against ", bdi(short(classes[k])));
    const none = () => element("li", {}, element("span", { textContent: "No row does." }));
    byId("for").replaceChildren(...(pro.length ? pro.map((each) => voice(each, largest)) : [none()]));
    byId("against").replaceChildren(...(contra.length ? contra.map((each) => voice(each, largest)) : [none()]));
    const score = list.reduce((sum, [, amount]) => sum + amount, 0) + constant;
    const rest = score - constant - [...pro, ...contra].reduce((sum, [, amount]) => sum + amount, 0);
    const said = list.reduce((sum, [, amount]) => sum + Math.abs(amount), 0);
    const cancel = said > CANCELLING * Math.abs(score) ? ` What rows say for and against is ${Math.round(said / Math.abs(score)).toLocaleString("en")} times as much and cancels: no single row decides.` : "";
    byId("rest").textContent = `All other rows add ${signed(rest)}, the constant ${signed(constant)}: a score of ${signed(score)}.${cancel}`;
    for (const button of document.querySelectorAll("#bars button")) button.setAttribute("aria-pressed", String(Number(button.dataset.k) === k));
  };

  function update() {
    const answer = predict(values()), P = answer.probabilities, top = Math.max(...P);
    const text = P.some(Number.isNaN) ? "\u2013" : percent(top), label = seen(short(answer.label, 80));
    byId("label").textContent = label;
    byId("sure").textContent = text;
    document.querySelector("#brief bdi").textContent = label;
    document.querySelector("#brief b").textContent = text;
    showBars(P);
    showBeyond();
    if (byId("set")) showSet(answer);
    if (model.novelty) showNovelty(answer);
    if (model.reasons.length) showReasons(answer);
  }

  const actions = element("div", { className: "actions" });
  const act = (textContent, does) => {
    const button = element("button", { type: "button", className: "pill", textContent });
    button.addEventListener("click", does);
    actions.append(button);
  };
  act("Start again", start);
  if (model.rows?.numbers.length) act("Some training row", () => {
    const at = Math.floor(Math.random() * model.rows.numbers.length);
    fillRow(fields.map((_, j) => model.rows.values[j]?.[at] ?? null));
  });
  act("Empty all", () => fillRow([]));
  form.append(actions);
  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  byId("level")?.addEventListener("change", update);
  byId("bars").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) { explained = Number(button.dataset.k) === explained ? null : Number(button.dataset.k); update(); }
  });
  new IntersectionObserver(([entry]) => byId("brief").classList.toggle("away", entry.isIntersecting)).observe(document.querySelector(".verdict"));
  start();
  globalThis.kernelproba = { predict, fields, classes };
})();
