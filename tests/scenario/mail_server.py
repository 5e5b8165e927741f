"""A mail server of Debian's python3-aiosmtpd on a loopback port: mail_server.py FILE USER PASSWORD [CERTIFICATE KEY]
prints its port.

What it takes goes to FILE as lines of JSON. It takes nothing without the login, and with a certificate nothing before
STARTTLS. Scenarios run it by the system's Python, which has the package.
"""

import asyncio
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult

FILE, USER, PASSWORD, *OWN = sys.argv[1:]


class Keeper:
    async def handle_DATA(self, server, session, envelope):
        with open(FILE, "a") as file:
            file.write(json.dumps({"from": envelope.mail_from, "to": envelope.rcpt_tos, "tls": session.ssl is not None,
                                   "text": envelope.content.decode("ascii")}) + "\n")
        return "250 taken"

    async def handle_RCPT(self, server, session, envelope, address, options):
        if not address.endswith("@example.org"):
            return f"550 {PASSWORD} is no password of {address}"  # a server that tells all that it knows
        envelope.rcpt_tos.append(address)
        return "250 ok"


def login(server, session, envelope, mechanism, data):
    return AuthResult(success=(data.login, data.password) == (USER.encode(), PASSWORD.encode()))


def tls_context():
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*OWN)
    return context


def connection():
    tls = {"tls_context": tls_context(), "require_starttls": True} if OWN else {}
    return SMTP(Keeper(), authenticator=login, auth_required=True, auth_require_tls=bool(OWN), **tls)


async def main():
    server = await asyncio.get_running_loop().create_server(connection, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
