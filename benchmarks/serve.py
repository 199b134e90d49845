"""``kernelproba serve`` under load: requests of one row at a steady rate, their latency, and the service's memory.

The service runs in a process of its own that may use one core, one thread.  Requests are due every 1/rate seconds
whether earlier ones have been answered or not, and latency is counted from when a request was due: a service that
falls behind cannot hide it.  All traffic is to 127.0.0.1, over 20 connections that stay open.

    python -m benchmarks.serve             # 200 requests a second for two minutes
    python -m benchmarks.serve 1200        # for so many seconds

The page keeps earlier runs: other work on the machine decides on latencies.
"""

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.measure import RESULTS, machine, write

RATE, SECONDS, CONNECTIONS = 200, 120, 20
CENTERS, COLUMNS = 2_000, 20
PAGE = os.sysconf("SC_PAGE_SIZE")


def make_model(folder: Path) -> tuple[Path, list[bytes]]:
    """Fit a model of 2000 centres by the command; return its file and requests of one row."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(CENTERS, COLUMNS)), columns=[f"x{j}" for j in range(COLUMNS)])
    noise = 0.5 * rng.normal(size=CENTERS)
    y = np.where(X["x0"] * X["x1"] + X["x2"] + noise > 0, "yes", "no")
    X.assign(y=y).to_csv(folder / "train.csv", index=False)
    model = folder / "model.skops"
    fit = [
        "fit",
        folder / "train.csv",
        "-t",
        "y",
        "-o",
        model,
        "-m",
        "klr-pairwise",
        "--set",
        "gamma=0.05",
        "-q",
    ]
    subprocess.run([sys.executable, "-m", "kernelproba", *map(str, fit)], check=True)
    new = pd.DataFrame(rng.normal(size=(200, COLUMNS)), columns=X.columns)
    return model, [json.dumps({"rows": [row]}).encode() for row in new.to_dict("records")]


def on_one_core() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def started(model: Path) -> tuple[subprocess.Popen, str, int]:
    """Start the service on a free port; return its process and address."""
    command = [sys.executable, "-m", "kernelproba", "serve", str(model), "--port", "0"]
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=os.environ | threads, preexec_fn=on_one_core
    )
    assert process.stderr is not None
    line = next(line for line in process.stderr if "running on" in line)
    threading.Thread(target=process.stderr.read, daemon=True).start()  # or a full pipe would stop the service
    host, _, port = line.split("http://")[1].split()[0].rpartition(":")
    return process, host, int(port)


class Connection:
    """One connection that stays open."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self._reader, self._writer = reader, writer

    async def post(self, body: bytes) -> int:
        """Send a row, read the whole answer; return its status."""
        head = f"POST /predict HTTP/1.1\r\nHost: model\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self._writer.write(head.encode() + body)
        answer = (await self._reader.readuntil(b"\r\n\r\n")).decode().lower()
        size = int(answer.split("content-length:")[1].split("\r\n")[0])
        await self._reader.readexactly(size)
        return int(answer.split()[1])


async def load(
    host: str, port: int, bodies: list[bytes], seconds: float, pid: int
) -> tuple[list, list, list]:
    """Return latencies in milliseconds, statuses, and resident megabytes every ten seconds."""
    due: asyncio.Queue[tuple[float, bytes] | None] = asyncio.Queue()
    latencies, statuses, memory = [], [], [resident(pid)]

    async def work() -> None:
        connection = Connection(*await asyncio.open_connection(host, port))
        while (job := await due.get()) is not None:
            statuses.append(await connection.post(job[1]))
            latencies.append(1000 * (time.perf_counter() - job[0]))

    workers = [asyncio.create_task(work()) for _ in range(CONNECTIONS)]
    start, total = time.perf_counter(), int(RATE * seconds)
    for number in range(total):
        moment = start + number / RATE
        if (wait := moment - time.perf_counter()) > 0:
            await asyncio.sleep(wait)
        due.put_nowait((moment, bodies[number % len(bodies)]))
        if number % (10 * RATE) == 0:
            memory.append(resident(pid))
    for _ in workers:
        due.put_nowait(None)
    await asyncio.gather(*workers)
    return latencies, statuses, [*memory, resident(pid)]


def resident(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]) * PAGE / 2**20


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def waiting_seconds(pid: int) -> float:
    """Return how long the threads of a process were ready to run and had no core."""
    stats = [path.read_text("ascii").split() for path in Path(f"/proc/{pid}/task").glob("*/schedstat")]
    return sum(int(waited) for _, waited, _ in stats) / 1e9


def measure(seconds: float, where: dict) -> dict:
    with tempfile.TemporaryDirectory() as name:
        model, bodies = make_model(Path(name))
        process, host, port = started(model)
        try:
            asyncio.run(load(host, port, bodies, 5, process.pid))  # imports, first answers
            before = np.array([used_by(process.pid) for used_by in (processor_seconds, waiting_seconds)])
            own = waiting_seconds(os.getpid())
            latencies, statuses, memory = asyncio.run(load(host, port, bodies, seconds, process.pid))
            used = [used_by(process.pid) for used_by in (processor_seconds, waiting_seconds)] - before
            own = waiting_seconds(os.getpid()) - own
        finally:
            process.terminate()
            process.wait(20)
    p50, p99 = np.percentile(latencies, [50, 99])
    return {
        "commit": where["commit"],
        "load before": where["load_before"],
        "requests": len(statuses),
        "answered by 200": float(np.mean(np.array(statuses) == 200)),
        "seconds": seconds,
        "processor ms / request": round(float(1000 * used[0] / len(statuses)), 2),
        "service waited ms": round(float(1000 * used[1] / len(statuses)), 2),
        "client waited ms": round(1000 * own / len(statuses), 2),
        "median ms": round(float(p50), 1),
        "p99 ms": round(float(p99), 1),
        "largest ms": round(max(latencies), 1),
        "MB at first": round(memory[0]),
        "MB halfway": round(memory[len(memory) // 2]),
        "MB at last": round(memory[-1]),
        "MB at most": round(max(memory)),
    }


def earlier_rows() -> list[dict]:
    record = RESULTS / "serve.json"
    return json.loads(record.read_text("utf8"))["rows"] if record.exists() else []


def main() -> None:
    where = machine()
    row = measure(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS, where)
    publish([*({column: each.get(column, "–") for column in row} for each in earlier_rows()), row], where)
    print(row, f"peak of the client {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def publish(rows: list[dict], where: dict) -> None:
    text = f"""
`python -m benchmarks.serve`: `kernelproba serve` on one core, a model of {CENTERS:,} centres and {COLUMNS} columns, {RATE} requests of one
row a second over {CONNECTIONS} connections from this machine. Latency counts from the moment a request was due. Goals: p99 below
50 ms, memory that does not grow in 20 minutes of load (`python -m benchmarks.serve 1200`; the row tells how long it ran). Other work ran on the
machine (see *load before*, of {os.cpu_count()} cores): latencies are upper limits, processor time per request is not touched by it.
*Waited*: how long the service and the client that measures it were ready to run and had no core, per request, by the count of
the kernel; where that and the processor time exceed 5 ms, requests pile up.
"""
    print(write("serve", "The service under load", text, rows, where))


if __name__ == "__main__":
    main()
