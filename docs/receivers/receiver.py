"""A receiver of Coffer's events on Python 3 alone: python3 receiver.py <port> <secret> [<name of the service>]"""
import hashlib
import hmac
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

port, secret, service_name = (sys.argv[1:] + ["4000", "", "Service"][len(sys.argv) - 1:])[:3]
# Keep them where your orders are: an event may come more than once.
taken = set()


def is_genuine(body: bytes, signature: str) -> bool:
    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


def take(event: dict) -> None:
    if event["id"] in taken:
        return
    taken.add(event["id"])
    if event["type"] == "invoice.paid":
        data = event["data"]
        print(f"paid: {data['invoiceID']} {data['amount']} {data['currency']}", flush=True)
    else:
        print(event["type"], flush=True)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        # The bytes as they came: parsed and written again they would no longer fit the signature.
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        genuine = is_genuine(body, self.headers.get(f"X-{service_name}-Signature", ""))
        # Answer at once; what takes long is done afterwards.
        self.send_response(200 if genuine else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()
        if genuine:
            take(json.loads(body))

    def log_message(self, *_: object) -> None:
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(port)), Receiver)
print(f"listening on {server.server_port}", flush=True)
server.serve_forever()
