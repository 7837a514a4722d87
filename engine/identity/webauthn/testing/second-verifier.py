"""Verifies ceremonies with Debian's python3-fido2 0.9: one JSON object a line in, one verdict a line out.

The caller of that library checks nothing here that the library leaves to it, except that the credential is the one named and that
its key is usable. What else an accepted ceremony says is reported, for the rules of the venue that the library does not have.
"""
import json
import struct
import sys

from cryptography.exceptions import InvalidSignature
from fido2 import cbor
from fido2.client import ClientData
from fido2.ctap2 import AttestationObject, AttestedCredentialData, AuthenticatorData
from fido2.server import Fido2Server
from fido2.utils import websafe_decode, websafe_encode

ALLOWED_ALGORITHMS = (-7, -8, -257)
# What the library throws for a ceremony that it rejects. Anything else ends this process, and with it the test.
REJECTIONS = (ValueError, KeyError, IndexError, TypeError, AttributeError, struct.error, InvalidSignature)


def server(request):
    return Fido2Server(
        {"id": request["rpId"], "name": "venue"},
        attestation="direct",
        verify_origin=lambda origin: origin in request["origins"],
        verify_attestation=verify_attestation,
    )


def state(request):
    return {"challenge": request["challenge"], "user_verification": "required"}


def verify_attestation(attestation_object, client_data_hash):
    """Generated registrations have no statement about the authenticator's maker; the library has no verifier of that format."""
    if attestation_object.fmt != "none" or attestation_object.att_statement != {}:
        raise ValueError("Attestation of another format.")


def assertion(request):
    data = AuthenticatorData(websafe_decode(request["authenticatorData"]))
    credential = AttestedCredentialData.create(
        bytes(16), websafe_decode(request["credentialId"]), cbor.decode(websafe_decode(request["publicKey"]))
    )
    server(request).authenticate_complete(
        state(request),
        [credential],
        websafe_decode(request["credId"]),
        ClientData(websafe_decode(request["clientData"])),
        data,
        websafe_decode(request["signature"]),
    )
    return {"flags": data.flags, "counter": data.counter}


def registration(request):
    sent = websafe_decode(request["attestationObject"])
    data = server(request).register_complete(
        state(request), ClientData(websafe_decode(request["clientData"])), AttestationObject(sent)
    )
    credential = data.credential_data
    if credential.credential_id != websafe_decode(request["credId"]):
        raise ValueError("Other credential.")
    key = credential.public_key
    if key.ALGORITHM not in ALLOWED_ALGORITHMS:
        raise ValueError("Algorithm that is not allowed.")
    try:
        key.verify(b"", b"")
    except InvalidSignature:
        pass
    return {
        "flags": data.flags,
        "counter": data.counter,
        "id": websafe_encode(credential.credential_id),
        "key": {
            "algorithm": key.ALGORITHM,
            "type": key.get(1),
            "exponentBytes": len(key[-2]) if key.ALGORITHM == -257 else 0,
        },
        # The library reads other encodings too, and writes only the canonical one.
        "isCanonical": cbor.encode(cbor.decode(sent)) == sent and data[37:].startswith(credential),
    }


CEREMONIES = {"assertion": assertion, "registration": registration}

for line in sys.stdin:
    request = json.loads(line)
    try:
        verdict = {"accepted": CEREMONIES[request["ceremony"]](request)}
    except REJECTIONS as error:
        verdict = {"rejected": "{}: {}".format(type(error).__name__, error)}
    print(json.dumps(verdict), flush=True)
