"""Listens as systemd does: prints each message as a line of JSON, and lets systemd-notify go on when it has read it."""
import array, json, os, socket, sys

listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind(sys.argv[1])
print("listening", flush=True)
while True:
    data, ancillary, _, _ = listener.recvmsg(8192, socket.CMSG_SPACE(16 * 4))
    # The sender waits until the file that it sent with BARRIER=1 is closed.
    for level, kind, files in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            for descriptor in array.array("i", files[: len(files) - len(files) % 4]):
                os.close(descriptor)
    assignments = dict(line.split("=", 1) for line in data.decode().splitlines() if "=" in line)
    if "BARRIER" not in assignments:
        print(json.dumps(assignments), flush=True)
