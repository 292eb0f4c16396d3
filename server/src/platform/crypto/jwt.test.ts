import { createHmac, createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  decodeJwt,
  findTimeFault,
  generateSigningKey,
  isJwtSignatureValid,
  signJwt,
  toPrivateKey,
  toPublicKey,
  toThumbprint,
  type Algorithm,
  type PublicJwk,
} from './jwt.js'

interface TestKey {
  jwk: PublicJwk
  privateKey: KeyObject
  publicKey: KeyObject
}

async function makeKey(algorithm: Algorithm): Promise<TestKey> {
  const { privateKeyPem, publicJwk } = await generateSigningKey(algorithm)
  return { jwk: publicJwk, privateKey: toPrivateKey(privateKeyPem), publicKey: toPublicKey(publicJwk) }
}

const [ec, otherEc, rsa] = await Promise.all([makeKey('ES256'), makeKey('ES256'), makeKey('RS256')])

const claims = { sub: 'ada', exp: 2_000, nested: { list: [1, 'naïve ☂', null] } }

function issue(algorithm: Algorithm, key: TestKey): string {
  return signJwt({ kid: key.jwk.kid, algorithm, privateKey: key.privateKey, typ: 'at+jwt' }, claims)
}

/** Verifies a token like the service: decodes it, then checks the signature with the selected key. */
function isAccepted(token: string, algorithm: Algorithm, publicKey: KeyObject): boolean {
  const decoded = decodeJwt(token)
  return decoded !== undefined && isJwtSignatureValid(decoded, algorithm, publicKey)
}

function part(value: unknown): string {
  return textPart(JSON.stringify(value))
}

function textPart(text: string): string {
  return Buffer.from(text).toString('base64url')
}

describe('keys', () => {
  test('a thumbprint is the one that RFC 7638 section 3.1 gives', () => {
    const key = {
      kty: 'RSA' as const,
      n: '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw',
      e: 'AQAB',
    }

    expect(toThumbprint(key)).toBe('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs')
  })

  test('a public key carries its thumbprint, its algorithm and its use, and nothing private', () => {
    expect(ec.jwk).toEqual({
      kty: 'EC',
      crv: 'P-256',
      x: expect.any(String),
      y: expect.any(String),
      kid: toThumbprint(ec.jwk),
      alg: 'ES256',
      use: 'sig',
    })
    expect(rsa.jwk).toEqual({
      kty: 'RSA',
      n: expect.any(String),
      e: 'AQAB',
      kid: toThumbprint(rsa.jwk),
      alg: 'RS256',
      use: 'sig',
    })
    expect(ec.jwk.kid).not.toBe(otherEc.jwk.kid)
  })

  test('a key of another curve or kind is refused for signing', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
    const signer = { kid: 'k', algorithm: 'ES256' as const, typ: 'JWT' }

    for (const wrong of [privateKey, rsa.privateKey, ec.publicKey]) {
      expect(() => signJwt({ ...signer, privateKey: wrong }, claims)).toThrow('not a private key for ES256')
    }
  })
})

describe('signing and verifying', () => {
  test.each(['ES256', 'RS256'] as const)(
    'a token signed with %s comes back whole and verifies',
    (algorithm) => {
      const key = algorithm === 'ES256' ? ec : rsa
      const decoded = decodeJwt(issue(algorithm, key))

      expect(decoded).toMatchObject({
        header: { alg: algorithm, kid: key.jwk.kid, typ: 'at+jwt' },
        claims,
      })
      expect(isAccepted(issue(algorithm, key), algorithm, key.publicKey)).toBe(true)
    },
  )

  test('the example of RFC 7515 appendix A.3 verifies', () => {
    const publicKey = toPublicKey({
      kty: 'EC',
      crv: 'P-256',
      x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
      kid: 'example',
      alg: 'ES256',
      use: 'sig',
    })
    const token =
      'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q'

    expect(isAccepted(token, 'ES256', publicKey)).toBe(true)
  })

  test('a token does not verify with another key', () => {
    expect(isAccepted(issue('ES256', ec), 'ES256', otherEc.publicKey)).toBe(false)
  })

  test('a token that names the kid of another key is judged by the key that was looked up', () => {
    const forged = signJwt(
      { kid: ec.jwk.kid, algorithm: 'ES256', privateKey: otherEc.privateKey, typ: 'JWT' },
      claims,
    )

    expect(isAccepted(forged, 'ES256', ec.publicKey)).toBe(false)
  })

  test('a token under one algorithm does not verify as the other', () => {
    expect(isAccepted(issue('ES256', ec), 'RS256', rsa.publicKey)).toBe(false)
    expect(isAccepted(issue('ES256', ec), 'RS256', ec.publicKey)).toBe(false)
    expect(isAccepted(issue('RS256', rsa), 'ES256', ec.publicKey)).toBe(false)
    expect(isAccepted(issue('RS256', rsa), 'RS256', ec.publicKey)).toBe(false)
  })

  test.each(['none', 'None', 'NONE', ''])('alg "%s" is not accepted, with a signature or without', (alg) => {
    const body = `${part({ alg, typ: 'JWT' })}.${part(claims)}`
    const [, , signature] = issue('ES256', ec).split('.')

    for (const token of [`${body}.`, `${body}.AA`, `${body}.${signature}`]) {
      expect(isAccepted(token, 'ES256', ec.publicKey)).toBe(false)
    }
  })

  test('HS256 with the public key as secret is not accepted', () => {
    for (const alg of ['HS256', 'RS256']) {
      const input = `${part({ alg, kid: rsa.jwk.kid })}.${part(claims)}`
      for (const secret of [
        rsa.publicKey.export({ type: 'spki', format: 'pem' }),
        rsa.publicKey.export({ type: 'spki', format: 'der' }),
        JSON.stringify(rsa.jwk),
      ]) {
        const token = `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
        expect(isAccepted(token, 'RS256', rsa.publicKey)).toBe(false)
      }
    }
  })

  test('a token with changed claims or a changed header does not verify', () => {
    for (const [algorithm, key] of [
      ['ES256', ec],
      ['RS256', rsa],
    ] as const) {
      const [header, body, signature] = issue(algorithm, key).split('.')
      const otherHeader = part({ alg: algorithm, typ: 'JWT', kid: key.jwk.kid })

      expect(
        isAccepted(`${header}.${part({ ...claims, sub: 'eve' })}.${signature}`, algorithm, key.publicKey),
      ).toBe(false)
      expect(isAccepted(`${otherHeader}.${body}.${signature}`, algorithm, key.publicKey)).toBe(false)
    }
  })

  test('ES256 accepts r and s side by side alone, not the same signature in DER', () => {
    const input = `${part({ alg: 'ES256' })}.${part(claims)}`
    const der = sign('sha256', Buffer.from(input), { key: ec.privateKey, dsaEncoding: 'der' })
    const plain = sign('sha256', Buffer.from(input), { key: ec.privateKey, dsaEncoding: 'ieee-p1363' })

    expect(isAccepted(`${input}.${plain.toString('base64url')}`, 'ES256', ec.publicKey)).toBe(true)
    expect(isAccepted(`${input}.${der.toString('base64url')}`, 'ES256', ec.publicKey)).toBe(false)
  })

  test('an ES256 signature of zeros does not verify (CVE-2022-21449)', () => {
    const input = `${part({ alg: 'ES256' })}.${part(claims)}`

    expect(isAccepted(`${input}.${Buffer.alloc(64).toString('base64url')}`, 'ES256', ec.publicKey)).toBe(
      false,
    )
  })

  test('a signature with bytes added or removed does not verify', () => {
    for (const [algorithm, key] of [
      ['ES256', ec],
      ['RS256', rsa],
    ] as const) {
      const [header, body, signature = ''] = issue(algorithm, key).split('.')
      const bytes = Buffer.from(signature, 'base64url')
      for (const other of [
        Buffer.concat([bytes, Buffer.alloc(1)]),
        bytes.subarray(1),
        bytes.subarray(0, -1),
      ]) {
        const token = `${header}.${body}.${other.toString('base64url')}`
        expect(isAccepted(token, algorithm, key.publicKey)).toBe(false)
      }
    }
  })

  test('a private key is not taken for a public one', () => {
    expect(isAccepted(issue('ES256', ec), 'ES256', ec.privateKey)).toBe(false)
  })

  test('an RSA key of less than 2048 bits does not verify', () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
    const input = `${part({ alg: 'RS256' })}.${part(claims)}`
    const signature = sign(
      'sha256',
      Buffer.from(input),
      createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    )

    expect(isAccepted(`${input}.${signature.toString('base64url')}`, 'RS256', publicKey)).toBe(false)
  })
})

describe('taking apart', () => {
  const header = { alg: 'ES256', kid: 'k', typ: 'JWT' }

  function decodeParts(headerPart: string, claimsPart: string, signaturePart = 'AAAA') {
    return decodeJwt(`${headerPart}.${claimsPart}.${signaturePart}`)
  }

  test('a well-formed token comes apart', () => {
    expect(decodeParts(part(header), part(claims))).toEqual({
      header,
      claims,
      signingInput: `${part(header)}.${part(claims)}`,
      signature: Buffer.alloc(3),
    })
  })

  test.each(['', '.', '..', '...', 'a', 'a.b', 'a.b.c', 'a.b.c.d', '\u0000', '☂.☂.☂', 'null.null.null'])(
    'the garbage "%s" is not a token',
    (garbage) => {
      expect(decodeJwt(garbage)).toBeUndefined()
    },
  )

  test('anything before, after or within a token makes it none', () => {
    const token = issue('ES256', ec)

    for (const other of [
      ` ${token}`,
      `${token}\n`,
      `${token}.`,
      `${token}.AAAA`,
      `${token}=`,
      `${token}==`,
    ]) {
      expect(decodeJwt(other)).toBeUndefined()
    }
    for (const inserted of ['\n', ' ', '=', '+', '/', '%']) {
      expect(decodeJwt(token.slice(0, 5) + inserted + token.slice(5))).toBeUndefined()
    }
  })

  test('base64url has one spelling: unused bits that are not zero are refused', () => {
    // One byte: AA and AB decode alike, and only AA is canonical (RFC 4648 section 3.5).
    expect(decodeParts(part(header), part(claims), 'AA')).toBeDefined()
    expect(decodeParts(part(header), part(claims), 'AB')).toBeUndefined()
    expect(decodeParts(part(header), part(claims), 'A')).toBeUndefined()
  })

  test('a signed token whose last character is respelled is refused', () => {
    const token = issue('ES256', ec)
    const spellings = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']

    const accepted = spellings.filter((last) => isAccepted(token.slice(0, -1) + last, 'ES256', ec.publicKey))

    expect(accepted).toEqual([token.at(-1)])
  })

  test.each(['[]', '"text"', '1', 'null', 'true', '{', '{}x', '\ufeff{}'])(
    'the JSON %s is neither header nor claims',
    (text) => {
      expect(decodeParts(textPart(text), part(claims))).toBeUndefined()
      expect(decodeParts(part(header), textPart(text))).toBeUndefined()
    },
  )

  test('bytes that are not UTF-8 are refused', () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')])

    expect(decodeParts(part(header), bytes.toString('base64url'))).toBeUndefined()
  })

  test.each([{ crit: ['exp'] }, { crit: [] }, { crit: null }, { b64: false, crit: ['b64'] }])(
    'a header with %j is refused',
    (extension) => {
      expect(decodeParts(part({ ...header, ...extension }), part(claims))).toBeUndefined()
    },
  )

  test.each([
    '{"alg":"none","alg":"ES256"}',
    '{"alg":"ES256","alg":"ES256"}',
    '{"alg" : "none" , "\\u0061lg"\n:\t"ES256"}',
    '{"alg":"ES256","jwk":{"kty":"EC"},"jwk":{}}',
  ])('the header %s, which names a member twice, is refused', (text) => {
    expect(decodeParts(textPart(text), part(claims))).toBeUndefined()
  })

  test.each([
    '{"alg":"ES256","jwk":{"alg":"ES256","kid":"1"},"kid":"1"}',
    '{"alg":"ES256","x5c":["alg","{\\"alg\\":1}","kid"],"kid":"a\\":\\"b"}',
    '{"alg":"ES256","x":"alg","y":"alg:"}',
  ])('the header %s, which only looks as if it did, is read', (text) => {
    expect(decodeParts(textPart(text), part(claims))?.header).toEqual(JSON.parse(text))
  })

  test.each([{}, { alg: 1 }, { alg: ['ES256'] }, { alg: 'ES256', kid: 1 }, { alg: 'ES256', typ: null }])(
    'the header %j is refused',
    (wrong) => {
      expect(decodeParts(part(wrong), part(claims))).toBeUndefined()
    },
  )

  test('8,192 characters are read, one more is not', () => {
    const shell = `${part(header)}..AAAA`.length
    const claimsOf = (length: number) => `${textPart(JSON.stringify({ a: 'x'.repeat(length) }))}`
    const room = 8192 - shell
    const longest = Math.floor((room * 3) / 4) - '{"a":""}'.length

    expect(decodeParts(part(header), claimsOf(longest))).toBeDefined()
    expect(decodeParts(part(header), claimsOf(longest + 2))).toBeUndefined()
  })

  test('deeply nested JSON does no harm', () => {
    const deep = (open: string, close: string) => textPart(`{"a":${open.repeat(2000)}${close.repeat(2000)}}`)

    expect(() => decodeParts(deep('[', ']'), part(claims))).not.toThrow()
    expect(() => decodeParts(part(header), deep('[', ']'))).not.toThrow()
  })
})

describe('times', () => {
  const at = (nowSeconds: number, leewaySeconds = 0) => ({ nowSeconds, leewaySeconds })

  test('a token ends on the second of its exp, and later by the leeway', () => {
    expect(findTimeFault({ exp: 100 }, at(99))).toBeUndefined()
    expect(findTimeFault({ exp: 100 }, at(100))).toBe('expired')
    expect(findTimeFault({ exp: 100 }, at(129, 30))).toBeUndefined()
    expect(findTimeFault({ exp: 100 }, at(130, 30))).toBe('expired')
  })

  test('a token begins on the second of its nbf, and earlier by the leeway', () => {
    expect(findTimeFault({ exp: 100, nbf: 50 }, at(49))).toBe('not_yet_valid')
    expect(findTimeFault({ exp: 100, nbf: 50 }, at(50))).toBeUndefined()
    expect(findTimeFault({ exp: 100, nbf: 50 }, at(19, 30))).toBe('not_yet_valid')
    expect(findTimeFault({ exp: 100, nbf: 50 }, at(20, 30))).toBeUndefined()
  })

  test.each([
    {},
    { exp: '100' },
    { exp: null },
    { exp: Number.NaN },
    { exp: Number.POSITIVE_INFINITY },
    { exp: 100, nbf: '1' },
    { exp: 100, nbf: null },
  ])('times such as %j are malformed', (wrong) => {
    expect(findTimeFault(wrong, at(1))).toBe('malformed')
  })
})
