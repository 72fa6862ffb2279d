"""Classify graphs over HTTP: the server of the standard library, four threads.

    python examples/service.py --model model.skops --port 8000
    curl localhost:8000 -d '[{"num_nodes": 2, "edge_index": [[0], [1]],
                              "node_feat": [[0], [1]], "edge_feat": [[0]]}]'

The file is what ``skshake.save`` wrote; without one, a model of MUTAG is trained first.
A request is a JSON list of graphs in OGB's form, or of SMILES for a model that reads
them. The answer says what each is: probabilities of the classes, or what is wrong. The
server prints the time of each request.
"""

import argparse
import json
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from sklearn.pipeline import make_pipeline

import skshake
from skshake import KFCoarsener, SHAKEClassifier, check_inputs
from skshake.datasets import load_mutag


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        start, status, model = time.perf_counter(), 200, self.server.model
        try:
            graphs = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if not isinstance(graphs, list):
                raise ValueError("expected a JSON list of graphs")
            problems = check_inputs(model, graphs)
            wrong = {k: {"error": message} for k, _, message in problems}
            good = [graph for k, graph in enumerate(graphs) if k not in wrong]
            rows = model.predict_proba(good).tolist() if good else []
            names = model.classes_.tolist()
            found = (dict(zip(names, row, strict=True)) for row in rows)
            answer = [wrong.get(k) or next(found) for k in range(len(graphs))]
        except (TypeError, ValueError) as error:
            status, answer = 400, {"error": str(error)}
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())
        print(f"{status} in {1000 * (time.perf_counter() - start):.1f} ms", flush=True)


class Server(ThreadingHTTPServer):
    def process_request(self, *request) -> None:
        self.threads.submit(self.process_request_thread, *request)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("--port", 8000), ("--max-iter", 60)):
        parser.add_argument(name, type=int, default=default)
    parser.add_argument("--model")
    arguments = parser.parse_args()
    server = Server(("localhost", arguments.port), Handler)
    server.threads = ThreadPoolExecutor(4)
    if arguments.model:
        server.model = skshake.load(arguments.model)
    else:
        network = SHAKEClassifier(max_iter=arguments.max_iter)
        model = make_pipeline(KFCoarsener(), network)
        server.model = model.fit(*load_mutag(return_X_y=True))
    print(f"http://localhost:{server.server_port}", flush=True)
    server.serve_forever()
