"""Passes the requests of an Apprise API server on to the library Apprise. Prints its port."""

import json
from http.server import BaseHTTPRequestHandler, HTTPServer

import apprise


class Gateway(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        sender = apprise.Apprise()
        sender.add(asked["urls"])
        is_sent = sender.notify(
            title=asked["title"], body=asked["body"], notify_type=asked["type"], body_format=asked["format"]
        )
        self.send_response(200 if is_sent else 424)
        self.send_header("content-length", "0")
        self.end_headers()


server = HTTPServer(("127.0.0.1", 0), Gateway)
print(server.server_port, flush=True)
server.serve_forever()
