"""Classify graphs over HTTP with the server of Python's standard library.

    python examples/service.py --model model.skops --port 8000
    curl localhost:8000 -d '[{"num_nodes": 2, "edge_index": [[0], [1]],
                              "node_feat": [[0], [1]], "edge_feat": [[0]]}]'

The file is what ``skshake.save`` wrote; without one, a model of MUTAG is trained first.
A request is a JSON list of graphs in OGB's form, or of SMILES for a model that reads
them. The answer says what each is: probabilities of the classes, or what is wrong. A
GET says "ready". The server prints the time of each request.

Each connection has a thread, so slow clients disturb nobody; predictions take turns,
since one keeps the processors busy and two at once only hinder each other.
"""

import argparse
import json
import signal
import sys
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any

from sklearn.pipeline import make_pipeline

import skshake
from skshake import KFCoarsener, SHAKEClassifier, check_inputs
from skshake.datasets import load_mutag

# A request that asks for more is refused before anything is made of it.
MOST_BYTES, MOST_NODES = 10_000_000, 1_000_000


def count_nodes(graph: Any) -> int:
    n_nodes = graph.get("num_nodes") if isinstance(graph, dict) else 0
    while isinstance(n_nodes, list) and len(n_nodes) == 1:
        (n_nodes,) = n_nodes
    return max(n_nodes, 0) if isinstance(n_nodes, int) else 0  # or it is refused later


def answer_each(model: Any, graphs: Any) -> list[dict]:
    if not isinstance(graphs, list):
        raise ValueError("expected a JSON list of graphs")
    if sum(map(count_nodes, graphs)) > MOST_NODES:
        raise ValueError(f"num_nodes: expected at most {MOST_NODES} in a request")
    wrong = {k: {"error": message} for k, _, message in check_inputs(model, graphs)}
    good = [graph for k, graph in enumerate(graphs) if k not in wrong]
    rows = model.predict_proba(good).tolist() if good else []
    found = (dict(zip(model.classes_.tolist(), row, strict=True)) for row in rows)
    return [wrong.get(k) or next(found) for k in range(len(graphs))]


class Handler(BaseHTTPRequestHandler):
    timeout = 10  # seconds without a byte from the client

    def do_GET(self) -> None:
        self.reply(200, "ready")

    def do_POST(self) -> None:
        start = time.perf_counter()
        try:
            n_bytes = int(self.headers.get("Content-Length", 0))
            if not 0 < n_bytes <= MOST_BYTES:
                raise ValueError(f"expected 1 to {MOST_BYTES} bytes, got {n_bytes}")
            graphs = json.loads(self.rfile.read(n_bytes))
            with self.server.turn:
                status, answer = 200, answer_each(self.server.model, graphs)
        except (TypeError, ValueError, RecursionError) as error:
            status, answer = 400, {"error": str(error)}
        self.reply(status, answer)
        print(f"{status} in {1000 * (time.perf_counter() - start):.1f} ms", flush=True)

    def reply(self, status: int, answer: Any) -> None:
        with suppress(ConnectionError):  # of a client that has left
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="localhost", help="0.0.0.0 in a container")
    for name, default in (("--port", 8000), ("--max-iter", 60)):
        parser.add_argument(name, type=int, default=default)
    parser.add_argument("--model")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # how containers are stopped
    server = ThreadingHTTPServer((arguments.host, arguments.port), Handler)
    server.turn = Lock()
    if arguments.model:
        server.model = skshake.load(arguments.model)
    else:
        network = SHAKEClassifier(max_iter=arguments.max_iter)
        model = make_pipeline(KFCoarsener(), network)
        server.model = model.fit(*load_mutag(return_X_y=True))
    print(f"http://{arguments.host}:{server.server_port}", flush=True)
    server.serve_forever()
