// Stills and films of the stage as the camera sees it now: every frame is drawn and encoded, however long that takes.

import { pause } from "../player";
import { goTo, playRange, state, trouble } from "../state";
import { t } from "../words";
import type { Stage } from "./stage";
import { type Chunk, type Film, webm } from "./webm";

/** A key frame so often, in frames, and bits for a pixel of a frame. */
const KEY = 48;
const BITS = 0.18;
const CODECS = [
  ["vp09.00.40.08", "V_VP9"],
  ["vp8", "V_VP8"],
] as const;

let busy = false;

export function saveAs(data: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(data);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function nameOf(ending: string): string {
  const body = (state.body?.name ?? "stage").replace(/^.*[:/\\]/, "").replace(/\.[^.]+$/, "");
  return `${body}-${state.part}.${ending}`;
}

/** The stage as it is, a PNG. */
export async function still(stage: Stage): Promise<void> {
  const canvas = stage.snapshot();
  const data = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (data) saveAs(data, nameOf(`${state.frame + 1}.png`));
}

/** Every frame between the in and out points, a WebM. Asked again while it works it stops. */
export async function film(stage: Stage, progress: (share: number | null) => void): Promise<void> {
  if (busy) {
    busy = false;
    return;
  }
  if (!("VideoEncoder" in window)) {
    trouble(t("This browser cannot encode films; use Export instead"), "film");
    return;
  }
  busy = true;
  pause();
  const kept = state.frame;
  const [first, last] = playRange();
  const fps = state.body?.fps ?? 24;
  const chunks: Chunk[] = [];
  let failed: Error | null = null;
  const encoder = new VideoEncoder({
    output: (chunk) => {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      chunks.push({ data, at: chunk.timestamp / 1000, key: chunk.type === "key" });
    },
    error: (error) => (failed = error),
  });
  try {
    const { width, height } = even(stage.snapshot());
    const codec = await configured(encoder, width, height, fps);
    for (let frame = first; frame < last && busy && !failed; frame++) {
      goTo(frame);
      await stage.ready();
      const picture = new VideoFrame(stage.snapshot(), {
        timestamp: Math.round(((frame - first) * 1e6) / fps),
        duration: Math.round(1e6 / fps),
        visibleRect: { x: 0, y: 0, width, height },
      });
      encoder.encode(picture, { keyFrame: (frame - first) % KEY === 0 });
      picture.close();
      progress((frame + 1 - first) / (last - first));
      // The page stays awake, and what was encoded leaves the queue.
      await new Promise((done) => setTimeout(done, encoder.encodeQueueSize > 8 ? 30 : 0));
    }
    await encoder.flush();
    if (failed) throw failed;
    const whole: Film = { codec, width, height, fps, chunks };
    if (busy) saveAs(new Blob([webm(whole)], { type: "video/webm" }), nameOf("webm"));
  } catch (error) {
    trouble((error as Error).message, "film");
  } finally {
    if (encoder.state !== "closed") encoder.close();
    busy = false;
    progress(null);
    goTo(kept);
  }
}

/** Codecs take pictures of even width and height. */
function even({ width, height }: HTMLCanvasElement): { width: number; height: number } {
  return { width: width & ~1, height: height & ~1 };
}

async function configured(encoder: VideoEncoder, width: number, height: number, fps: number): Promise<Film["codec"]> {
  for (const [codec, name] of CODECS) {
    const config: VideoEncoderConfig = { codec, width, height, framerate: fps, bitrate: Math.max(4e5, BITS * width * height * fps) };
    const { supported } = await VideoEncoder.isConfigSupported(config);
    if (!supported) continue;
    encoder.configure(config);
    return name;
  }
  throw new Error(t("This browser cannot encode films; use Export instead"));
}
