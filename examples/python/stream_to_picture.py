#!/usr/bin/env python3
"""Borrows a phone, taps it, and saves the first frame of its stream as a PNG.

    PHONEBOOTH_URL=... PHONEBOOTH_API_KEY=... python3 stream_to_picture.py [picture.png]

It needs the package `websockets` (Debian: python3-websockets) and ffmpeg, but no Phonebooth client library.
"""

import argparse
import asyncio
import json
import os
import ssl
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.request

import websockets

H264 = 0x68323634
DEADLINE_S = 60


class Api:
    """The HTTP API: every response is {code, message, data}, and code 0 means success."""

    def __init__(self, url, key, tls):
        self.base = url.rstrip("/") + "/v1"
        self.key = key
        self.tls = tls

    def ask(self, method, path, body=None):
        request = urllib.request.Request(self.base + path, method=method)
        request.add_header("Authorization", f"Bearer {self.key}")
        if body is not None:
            request.add_header("Content-Type", "application/json")
            request.data = json.dumps(body).encode()
        context = self.tls if self.base.startswith("https:") else None
        try:
            with urllib.request.urlopen(request, timeout=30, context=context) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            envelope = json.load(error)
            sys.exit(f"{method} {path}: {envelope['code']} {envelope['message']}")


async def call(control, method, params):
    """Makes one JSON-RPC call. Notifications that arrive before the response are ignored."""
    await control.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
    while True:
        message = json.loads(await control.recv())
        if message.get("id") == 1:
            if "error" in message:
                sys.exit(f"{method}: {message['error']['message']}")
            return message["result"]


async def tap(url, tls, x, y):
    """Taps the screen at x and y, which are fractions of the screen, measured from the top left."""
    async with websockets.connect(url, ssl=tls) as control:
        while json.loads(await control.recv())["method"] != "session.ready":
            pass
        await call(control, "tap", {"x": x, "y": y})


async def first_frame(url, tls):
    """Returns the size of the first frame and the H.264 bytes that a decoder needs for it."""
    async with websockets.connect(url, ssl=tls, subprotocols=["scrcpy.v4"], max_size=None) as stream:
        (codec,) = struct.unpack(">I", await stream.recv())
        if codec != H264:
            sys.exit(f"the codec of the stream is {codec:#x}, not H.264")
        size, parameters = None, b""
        while True:
            packet = await stream.recv()
            flags_and_time, length = struct.unpack(">QI", packet[:12])
            if flags_and_time >> 63:
                size = struct.unpack(">II", packet[4:12])
            elif flags_and_time >> 62 & 1:
                parameters = packet[12 : 12 + length]
            elif flags_and_time >> 61 & 1:
                return size, parameters + packet[12 : 12 + length]


def save(h264, file):
    decode = ["ffmpeg", "-loglevel", "error", "-f", "h264", "-i", "pipe:0", "-frames:v", "1", "-y", file]
    subprocess.run(decode, input=h264, check=True, timeout=DEADLINE_S)


async def use(session, tls, file):
    await tap(session["control_url"], tls, 0.5, 0.5)
    size, h264 = await first_frame(session["stream_url"], tls)
    save(h264, file)
    print("{}x{} {}".format(*size, file))


def main():
    arguments = argparse.ArgumentParser(description="Save the first frame of a borrowed phone's stream.")
    arguments.add_argument("file", nargs="?", default="picture.png")
    arguments.add_argument("--ca", help="CA file to trust (PEM), for example .phonebooth/tls/ca.pem of your service")
    options = arguments.parse_args()
    url = os.environ.get("PHONEBOOTH_URL", "http://localhost:7100")
    key = os.environ.get("PHONEBOOTH_API_KEY") or sys.exit("PHONEBOOTH_API_KEY is not set")
    tls = ssl.create_default_context(cafile=options.ca)
    api = Api(url, key, tls)

    free = api.ask("GET", "/devices?status=available&page_size=1")["items"]
    if not free:
        sys.exit("no phone is available")
    session = api.ask("POST", f"/devices/{free[0]['id']}/connect", {"duration": 5})
    path = f"/sessions/{session['session_id']}"
    try:
        deadline = time.monotonic() + DEADLINE_S
        while api.ask("GET", path)["status"] != "connected":
            if time.monotonic() > deadline:
                sys.exit("the phone did not become ready in time")
            time.sleep(0.25)
        asyncio.run(asyncio.wait_for(use(session, tls, options.file), DEADLINE_S))
    finally:
        api.ask("POST", f"{path}/disconnect")


if __name__ == "__main__":
    main()
