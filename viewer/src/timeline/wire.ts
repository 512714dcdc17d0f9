// Binary answers of the server (docs/formats/timeline.md).

interface Head { from: number; until: number; first: number; count: number; events: number }
export interface CallsPicture extends Head {
  kind: "calls"; calls: number;
  begin: Float64Array; end: Float64Array; enter: Float64Array; region: Uint32Array; location: Uint32Array; depth: Uint32Array;
}
export interface BinsPicture extends Head { kind: "bins"; rows: number; columns: number; group: number; category: Uint8Array; share: Uint8Array }
export type TimelinePicture = CallsPicture | BinsPicture;

export function decode(bytes: ArrayBuffer): TimelinePicture {
  const length = new DataView(bytes).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length))) as TimelinePicture;
  let at = Math.ceil((4 + length) / 8) * 8;
  const take = <T>(kind: new (buffer: ArrayBuffer, offset: number, count: number) => T, size: number, count: number): T => {
    const array = new kind(bytes, at, count);
    at = Math.ceil((at + size * count) / 8) * 8;
    return array;
  };
  if (head.kind === "bins") {
    const count = head.rows * head.columns;
    return { ...head, category: take(Uint8Array, 1, count), share: take(Uint8Array, 1, count) };
  }
  const n = head.calls, doubles = [1, 2, 3].map(() => take(Float64Array, 8, n)), numbers = [1, 2, 3].map(() => take(Uint32Array, 4, n));
  return { ...head, begin: doubles[0]!, end: doubles[1]!, enter: doubles[2]!, region: numbers[0]!, location: numbers[1]!, depth: numbers[2]! };
}
