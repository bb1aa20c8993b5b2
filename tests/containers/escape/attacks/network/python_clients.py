# Tries: connects and listens by what Python brings along: sockets, HTTP, TLS, mail, event loops, remote managers
# Control: yes
# Limits: cpu=5s wall=30s
import asyncio
import socket

from attack import attempt, canary, held

PORT = int(canary("tcp"))
socket.setdefaulttimeout(0.05)


def http_request():
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=0.05)
    connection.connect()


def tls_socket():
    import ssl

    ssl.create_default_context().wrap_socket(socket.socket(), server_hostname="x", do_handshake_on_connect=False)


def event_loop():
    async def connect():  # (a server without any socket is no error to asyncio)
        await asyncio.open_connection("127.0.0.1", PORT)

    asyncio.run(connect())


def other_listener():
    import multiprocessing.connection

    multiprocessing.connection.Listener(("127.0.0.1", 0)).close()


attempt("create_connection", socket.create_connection, ("127.0.0.1", PORT))
attempt("connect to an abstract name", lambda: socket.socket(socket.AF_UNIX).connect("\0" + canary("abstract")))
attempt("HTTP", http_request)
attempt("TLS", tls_socket)
attempt("an event loop", event_loop)
attempt("a listener of multiprocessing", other_listener)
attempt("a server", socket.create_server, ("127.0.0.1", 0))
attempt("a pair of datagram sockets", socket.socketpair, socket.AF_UNIX, socket.SOCK_DGRAM)
attempt("interfaces", socket.if_nameindex)
attempt("a descriptor as a socket", lambda: socket.socket(fileno=0).getsockname())
held("done")
