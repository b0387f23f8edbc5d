"""A webhook handler with http.server of Python, without dependencies:

export SVC_WEBHOOK_SECRET="$(cat secret.txt)"; python3 server.py
"""

import hashlib
import hmac
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("SVC_WEBHOOK_SECRET", "").encode()  # the text of the secret, not decoded
if not SECRET:
    sys.exit("set SVC_WEBHOOK_SECRET to the signing secret of the subscription")
handled = set()  # use your database: a delivery can arrive more than once


def verify(body: bytes, signature: str) -> bool:
    """True when `signature` is the lower-case hex HMAC-SHA-256 of the raw body."""
    expected = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not verify(body, self.headers.get("X-Service-Signature", "")):
            return self.answer(401, {"error": "invalid_signature"})
        event = json.loads(body)
        if event.get("deliveryId") not in handled:
            handled.add(event.get("deliveryId"))
            print(event.get("type"), event.get("contentId"), event.get("hashId"), flush=True)  # your work here
        self.answer(200, {"received": True})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 3000))), Handler)
    print(f"http://127.0.0.1:{server.server_port}/webhooks", flush=True)
    server.serve_forever()
