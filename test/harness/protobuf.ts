/** A field of a Protocol Buffers message: its field number, and its bytes or its integer. */
export type ProtobufField = readonly [number: number, value: Buffer | bigint];

const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED32 = 5;

/** The fields of a message, in order (Protocol Buffers, "Encoding"); throws if it is malformed. */
export function protobufFields(message: Buffer): ProtobufField[] {
  const fields: ProtobufField[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = Number(varint());
    const [number, wireType] = [tag >>> 3, tag & 7];
    if (wireType === VARINT) {
      fields.push([number, varint()]);
      continue;
    }
    const length = wireType === FIXED64 ? 8 : wireType === FIXED32 ? 4 : Number(varint());
    if (wireType !== FIXED64 && wireType !== FIXED32 && wireType !== LENGTH_DELIMITED)
      throw new Error(`type ${wireType}`);
    if (at + length > message.length) throw new Error("the message is truncated");
    fields.push([number, message.subarray(at, at + length)]);
    at += length;
  }
  return fields;
}
