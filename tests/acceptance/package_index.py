"""An index of Python packages and a registry of npm on this machine, with packages that tests make."""

import base64
import hashlib
import io
import json
import tarfile
import threading
import zipfile
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ENTRY = "[console_scripts]\nnotes = notes:main\n"
KNOWN = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "notes", "version": "1.0"},
    },
    "tools/list": {"tools": [{"name": "note", "inputSchema": {"type": "object"}}]},
}
SERVER = f"""\
import json
import sys

KNOWN = {KNOWN}


def main():
    for line in sys.stdin:
        asked = json.loads(line)
        known = asked.get("method") in KNOWN
        said = {{"result": KNOWN[asked["method"]]}} if known else {{"error": {{"code": -32601, "message": "none"}}}}
        if "id" in asked:
            print(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], **said}}), flush=True)
"""
"""A server that lists a tool and knows no other request."""
SERVER_IN_JAVASCRIPT = f"""\
const known = {json.dumps(KNOWN)};
require('readline').createInterface({{ input: process.stdin }}).on('line', (line) => {{
  const {{ id, method }} = JSON.parse(line);
  const said = method in known ? {{ result: known[method] }} : {{ error: {{ code: -32601, message: 'none' }} }};
  if (id !== undefined) console.log(JSON.stringify({{ jsonrpc: '2.0', id, ...said }}));
}});
"""


def wheel(name="notes", version="1.0", files=None, needs=()):
    """The file name and the bytes of a wheel."""
    made = {f"{name}.py": SERVER, **(files or {})}
    info = f"{name}-{version}.dist-info"
    made[f"{info}/METADATA"] = "\n".join(
        [
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}",
            *(f"Requires-Dist: {each}" for each in needs),
            "",
        ]
    )
    made[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    made.setdefault(f"{info}/entry_points.txt", ENTRY.replace("notes", name))
    made[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*made, f"{info}/RECORD"])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, text in made.items():
            archive.writestr(path, text)
    return f"{name}-{version}-py3-none-any.whl", packed.getvalue()


def packed_tar(files, folder):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for path, text in files.items():
            entry = tarfile.TarInfo(f"{folder}/{path}")
            entry.size, entry.mode = len(text.encode()), 0o755
            archive.addfile(entry, io.BytesIO(text.encode()))
    return packed.getvalue()


class Index:
    """An index of Python packages and a registry of npm on this machine."""

    def __init__(self):
        self.files = {}
        self.packages = {}
        self.asked = []
        self.url = ""

    def add(self, *wheels):
        self.files |= dict(wheels)

    def add_npm(self, name, files, version="1.0.0", **manifest):
        manifest = {"name": name, "version": version, **manifest}
        packed = packed_tar({"package.json": json.dumps(manifest), **files}, "package")
        integrity = "sha512-" + base64.b64encode(hashlib.sha512(packed).digest()).decode()
        place = f"{name.replace('/', '-')}-{version}.tgz"
        self.files[place] = packed
        manifest["dist"] = {"tarball": f"{self.url}/files/{place}", "integrity": integrity}
        known = self.packages.setdefault(name, {"name": name, "dist-tags": {}, "versions": {}})
        known["versions"][version] = manifest
        known["dist-tags"]["latest"] = version

    def answer(self, path):
        """The type and the body for a path; None where there is nothing."""
        self.asked.append(path)
        parts = path.strip("/").split("/")
        if parts[0] == "files" and parts[1] in self.files:
            return "application/octet-stream", self.files[parts[1]]
        if parts[0] == "simple":
            found = [name for name in self.files if name.split("-")[0].replace("_", "-") == parts[1]]
            links = [f'<a href="../../files/{name}#sha256={self.digest(name)}">{name}</a>' for name in found]
            return ("text/html", "".join(links).encode()) if found else None
        name = "/".join(parts[1:]).replace("%2f", "/")
        return (
            ("application/json", json.dumps(self.packages[name]).encode()) if name in self.packages else None
        )

    def digest(self, name):
        return hashlib.sha256(self.files[name]).hexdigest()


@contextmanager
def serving(index):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            found = index.answer(self.path.split("?")[0])
            self.send_response(200 if found else 404)
            kind, body = found or ("text/plain", b"")
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        do_HEAD = do_GET  # noqa: N815 - the server's

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        index.url = f"http://127.0.0.1:{server.server_port}"
        yield index
        server.shutdown()
        thread.join()
