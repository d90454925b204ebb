"""Sends one message by the library Apprise: a line of JSON with `url`, `title`, `body` and `format` on standard input."""

import json
import sys

import apprise

asked = json.loads(sys.stdin.readline())
sender = apprise.Apprise()
if not sender.add(asked["url"]):
    sys.exit("Apprise does not know this address")
if not sender.notify(title=asked["title"], body=asked["body"], body_format=asked["format"]):
    sys.exit("Apprise could not send")
