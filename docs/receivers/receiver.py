"""Receives Coffer's events, with Python 3 only. Start it with: COFFER_WEBHOOK_SECRET=... PORT=4000 python3 receiver.py"""
import hashlib
import hmac
import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

secret = os.environb.get(b"COFFER_WEBHOOK_SECRET", b"")
if not secret:
    # With an empty secret, anybody could sign events.
    raise SystemExit("Set COFFER_WEBHOOK_SECRET to the secret that the webhook was given.")
signature_header = f"X-{os.environ.get('SERVICE_NAME', 'Service')}-Signature"
body_bytes_max = 64 * 1024
# The ids of received events. The same event may arrive more than once. A real receiver stores the ids in the database
# of its orders, in the same transaction as the effect of the event.
taken = set()
taking = threading.Lock()


def is_genuine(body: bytes, signature: str) -> bool:
    expected = hmac.new(secret, body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


def take(event: dict) -> None:
    if event["type"] == "invoice.paid":
        data = event["data"]
        say(f"paid: {data['invoiceID']} {data['amount']} {data['currency']}")
    else:
        say(event["type"])


def say(line: str) -> None:
    # print() writes a line and its end separately, so lines of two threads could be mixed.
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class Receiver(BaseHTTPRequestHandler):
    timeout = 30

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "0")
        if not (length.isascii() and length.isdigit() and int(length) <= body_bytes_max):
            return self.answer(413)
        # The signature covers the raw bytes. JSON that was parsed and written again may have other bytes.
        body = self.rfile.read(int(length))
        signature = self.headers.get(signature_header, "")
        if not is_genuine(body, signature):
            return self.answer(401)
        event = json.loads(body)
        # Each request has its own thread, and two requests may contain the same event.
        with taking:
            is_new = event["id"] not in taken
            taken.add(event["id"])
        # Answer only after the event is stored, because an answered event is not sent again. Do slow work afterwards.
        self.answer(200)
        if is_new:
            take(event)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4000"))), Receiver)
say(f"listening on {server.server_port}")
server.serve_forever()
