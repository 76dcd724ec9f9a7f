// A WebM file around frames that the browser encoded: the few elements of Matroska that a film without sound needs.

export interface Chunk {
  data: Uint8Array<ArrayBuffer>;
  /** Milliseconds from the beginning. */
  at: number;
  key: boolean;
}

export interface Film {
  codec: "V_VP8" | "V_VP9";
  width: number;
  height: number;
  fps: number;
  chunks: Chunk[];
}

/** Milliseconds that a cluster may last: times within one are 16 bits. */
const CLUSTER = 5000;

type Bytes = Uint8Array<ArrayBuffer>;

function joined(parts: Bytes[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function whole(value: number, size = 0): Bytes {
  const bytes: number[] = [];
  for (let rest = value; rest > 0 || !bytes.length; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  while (bytes.length < size) bytes.unshift(0);
  return Uint8Array.from(bytes);
}

function real(value: number): Bytes {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return bytes;
}

function element(id: number, ...inner: Bytes[]): Bytes {
  const data = joined(inner);
  const size = whole(data.length, 8);
  size[0] = 1;
  return joined([whole(id), size, data]);
}

const text = (value: string): Bytes => new TextEncoder().encode(value) as Bytes;

export function webm({ codec, width, height, fps, chunks }: Film): Bytes {
  const head = element(
    0x1a45dfa3,
    element(0x4286, whole(1)),
    element(0x42f7, whole(1)),
    element(0x42f2, whole(4)),
    element(0x42f3, whole(8)),
    element(0x4282, text("webm")),
    element(0x4287, whole(4)),
    element(0x4285, whole(2)),
  );
  const lasting = 1000 / fps;
  const info = element(
    0x1549a966,
    element(0x2ad7b1, whole(1_000_000)),
    element(0x4489, real((chunks.at(-1)?.at ?? 0) + lasting)),
    element(0x4d80, text("komadori")),
    element(0x5741, text("komadori")),
  );
  const track = element(
    0xae,
    element(0xd7, whole(1)),
    element(0x73c5, whole(1)),
    element(0x83, whole(1)),
    element(0x9c, whole(0)),
    element(0x86, text(codec)),
    element(0x23e383, whole(Math.round(1e9 / fps))),
    element(0xe0, element(0xb0, whole(width)), element(0xba, whole(height))),
  );
  const clusters: Bytes[] = [];
  let blocks: Bytes[] = [];
  let began = 0;
  const close = () => {
    if (blocks.length) clusters.push(element(0x1f43b675, element(0xe7, whole(Math.round(began))), ...blocks));
    blocks = [];
  };
  for (const { data, at, key } of chunks) {
    if (!blocks.length || (key && at - began >= CLUSTER)) {
      close();
      began = Math.round(at);
    }
    const since = Math.round(at) - began;
    blocks.push(element(0xa3, Uint8Array.of(0x81, (since >> 8) & 255, since & 255, key ? 0x80 : 0), data));
  }
  close();
  return joined([head, element(0x18538067, info, element(0x1654ae6b, track), ...clusters)]);
}
