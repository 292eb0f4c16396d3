"""Verifies access tokens of every organization of an account, with PyJWT and its extra `crypto`."""

import json
import re
import threading
import time
import urllib.error
import urllib.request
from collections import OrderedDict

import jwt

SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
ALGORITHMS = ("ES256", "RS256")


class Refused(Exception):
    """The token is not good: answer 401."""


class KeysUnavailable(Exception):
    """The keys cannot be read, which is no fault of the token: answer 503."""


class Verifier:
    """Make one, and share it: it holds the keys."""

    def __init__(self, base_url: str, audience: str, environment: str):
        self.prefix = f"{base_url}/t/"
        self.audience, self.environment = audience, environment
        self.key_sets = KeySets(self.prefix)

    def verify(self, token: str) -> dict:
        """The claims of an access token; `org` is the organization of the user `sub`."""
        if len(token) > 16_384:
            raise Refused("too long")
        try:
            header = jwt.get_unverified_header(token)
            claims = jwt.decode(token, options={"verify_signature": False})
        except (jwt.InvalidTokenError, UnicodeError, RecursionError):
            raise Refused("not a signed JWT") from None
        slug = self.check(header, claims)
        # Everything above is the sender's own word, and decides nothing but whose key is asked for.
        key = self.key_sets.find(slug, header.get("kid"))
        if key is None or key["alg"] != header["alg"]:
            raise Refused("the organization has no such key")
        try:
            jwt.decode(token, key["key"], algorithms=[key["alg"]], audience=self.audience, leeway=30)
        except jwt.InvalidTokenError as error:
            raise Refused(str(error)) from None
        return claims

    def check(self, header: dict, claims: dict) -> str:
        """What is checked before any key is asked for; answers the organization."""
        if header.get("typ") != "at+jwt" or header.get("alg") not in ALGORITHMS or "crit" in header:
            raise Refused("not an access token")
        if not isinstance(header.get("kid"), str):
            raise Refused("without a key")
        issuer = claims.get("iss")
        if not isinstance(issuer, str) or not issuer.startswith(self.prefix):
            raise Refused("another issuer")
        # Not a URL to parse: the prefix, and then nothing but a domain. fullmatch(), because `$` allows a line break.
        slug = issuer[len(self.prefix) :]
        if len(slug) > 120 or not SLUG.fullmatch(slug):
            raise Refused("another issuer")
        if claims.get("org") != slug or claims.get("tnt") != slug:
            raise Refused("another organization than that of the issuer")
        if claims.get("aud") != self.audience:
            raise Refused("another application")
        if claims.get("dbs") != self.environment:
            raise Refused("the other environment")
        if claims.get("jtt") != "access_token" or not isinstance(claims.get("sub"), str):
            raise Refused("not an access token")
        times = [claims.get(name) for name in ("exp", "iat")]
        if not all(type(at) in (int, float) for at in times) or times[0] <= time.time() - 30:
            raise Refused("expired")
        return slug


class KeySets:
    """Keys by organization: those used last, and few requests for those that are new, whoever makes them up."""

    def __init__(self, prefix: str, most_held: int = 2_000, most_absent: int = 10_000):
        self.prefix, self.most_held, self.most_absent = prefix, most_held, most_absent
        self.held: OrderedDict = OrderedDict()
        self.absent: OrderedDict = OrderedDict()
        self.level, self.filled_at = 20.0, time.monotonic()
        self.lock = threading.Lock()

    def find(self, slug: str, kid: object):
        now = time.monotonic()
        with self.lock:
            entry = self.held.get(slug)
            if entry is None:
                self.admit(slug, now)
            else:
                self.held.move_to_end(slug)
                is_known = kid in entry["keys"] and now - entry["read_at"] < 900
                # An unknown kid makes the keys be read again, at most every 30 seconds.
                if is_known or now - entry["asked_at"] < 30:
                    return entry["keys"].get(kid)
                entry["asked_at"] = now
        try:
            keys = self.read(slug)
        except Exception as error:
            # What is held stays good while the service is away, for a day.
            if entry is not None and now - entry["read_at"] < 86_400:
                return entry["keys"].get(kid)
            with self.lock:
                self.held.pop(slug, None)
            if isinstance(error, urllib.error.HTTPError) and error.code == 404:
                with self.lock:
                    put(self.absent, slug, now + 60, self.most_absent)
                raise Refused("the service has no such organization") from None
            raise KeysUnavailable from error
        with self.lock:
            put(self.held, slug, {"keys": keys, "read_at": now, "asked_at": now}, self.most_held)
        return keys.get(kid)

    def admit(self, slug: str, now: float) -> None:
        """Twenty new organizations at once, and two a second after that."""
        if self.absent.get(slug, 0) > now:
            raise Refused("the service has no such organization")
        self.level = min(20.0, self.level + 2 * (now - self.filled_at))
        self.filled_at = now
        if self.level < 1:
            raise KeysUnavailable("too many organizations are new at once")
        self.level -= 1

    def read(self, slug: str) -> dict:
        # The address is made of what is configured: nothing in a token is ever a host.
        url = f"{self.prefix}{slug}/.well-known/jwks.json"
        with opener.open(url, timeout=5) as answer:
            listed = json.loads(answer.read(262_144))["keys"]
        return {
            jwk["kid"]: {"alg": jwk["alg"], "key": jwt.PyJWK(jwk).key}
            for jwk in listed
            if jwk.get("use") == "sig" and jwk.get("alg") in ALGORITHMS
        }


def put(entries: OrderedDict, name: str, value: object, most: int) -> None:
    entries[name] = value
    entries.move_to_end(name)
    if len(entries) > most:
        entries.popitem(last=False)


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(NoRedirects)
