/** A field of a message of Protocol Buffers, as it is on the wire: a number, or bytes. */
export interface Field {
  readonly number: number
  readonly value: bigint | Buffer
}

/** The fields of a message, by the numbers of its schema (Protocol Buffers, encoding). */
export function fieldsOf(message: Buffer): Field[] {
  const fields: Field[] = []
  let at = 0

  function varint(): bigint {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = BigInt(message.readUInt8(at++))
      value |= (byte & 0x7fn) << shift
      if (byte < 0x80n) return value
    }
  }

  function take(length: number): Buffer {
    at += length
    return message.subarray(at - length, at)
  }

  while (at < message.length) {
    const tag = varint()
    const number = Number(tag >> 3n)
    const type = Number(tag & 7n)
    if (type === 0) fields.push({ number, value: varint() })
    else if (type === 1) fields.push({ number, value: take(8).readBigUInt64LE() })
    else if (type === 2) fields.push({ number, value: take(Number(varint())) })
    else if (type === 5) fields.push({ number, value: BigInt(take(4).readUInt32LE()) })
    else throw new Error(`a field of the unknown type ${type}`)
  }
  return fields
}

export function textOf(bytes: Buffer): string {
  return bytes.toString('utf8')
}
