// Sound: a file from the shelf as a waveform, played with the frames and heard while one scrubs.

import { mediaAddress } from "../connection";
import { on, shotOf, state, tell, trouble } from "../state";
import { t } from "../words";

/** Peaks for a second of sound, and how long a scrubbed frame is heard, in seconds. */
const RATE = 200;
const GRAIN_S = 0.09;
const FADE_S = 0.008;

/** The loudest sample of every 1 / `rate` second, 0 to 1. */
export function peaksOf(samples: Float32Array[], sampleRate: number, rate = RATE): Float32Array {
  const [first] = samples;
  if (!first) return new Float32Array(0);
  const each = sampleRate / rate;
  const peaks = new Float32Array(Math.ceil(first.length / each));
  for (const channel of samples) {
    for (let n = 0; n < channel.length; n++) {
      const at = Math.floor(n / each);
      const loud = Math.abs(channel[n] ?? 0);
      if (loud > (peaks[at] ?? 0)) peaks[at] = loud;
    }
  }
  return peaks;
}

export class SoundTrack {
  peaks: Float32Array | null = null;
  seconds = 0;
  private key = "";
  private buffer: AudioBuffer | null = null;
  private context: AudioContext | null = null;
  private playing: AudioBufferSourceNode | null = null;
  private frame = -1;

  constructor() {
    on(["scene"], () => void this.load());
    on(["playing"], () => (state.playing ? this.start() : this.stop()));
    on(["frame"], () => this.moved());
  }

  /** The loudest between two times of the sound, in seconds. */
  loudest(from: number, to: number): number {
    let most = 0;
    const last = Math.min(this.peaks?.length ?? 0, Math.max(Math.floor(from * RATE) + 1, Math.ceil(to * RATE)));
    for (let n = Math.max(0, Math.floor(from * RATE)); n < last; n++) most = Math.max(most, this.peaks?.[n] ?? 0);
    return most;
  }

  private async load(): Promise<void> {
    const key = shotOf().sound?.key ?? "";
    if (key === this.key) {
      if (shotOf().sound?.muted) this.stop();
      return;
    }
    this.key = key;
    this.stop();
    this.buffer = this.peaks = null;
    if (!key) return tell("range");
    try {
      const response = await fetch(mediaAddress(key));
      if (!response.ok) throw new Error(String(response.status));
      // Offline: a page that was not touched yet may decode, but not play.
      const buffer = await new OfflineAudioContext(1, 1, 48_000).decodeAudioData(await response.arrayBuffer());
      if (key !== this.key) return;
      this.buffer = buffer;
      this.seconds = buffer.duration;
      const channels = Array.from({ length: Math.min(2, buffer.numberOfChannels) }, (_, n) => buffer.getChannelData(n));
      this.peaks = peaksOf(channels, buffer.sampleRate);
      tell("range");
    } catch (error) {
      trouble(`${t("This browser cannot read the sound")}: ${(error as Error).message}`, "sound");
    }
  }

  /** Seconds of the sound at a frame. */
  at(frame: number): number {
    return (frame - (shotOf().sound?.start ?? 0)) / (state.body?.fps ?? 24);
  }

  private moved(): void {
    const way = state.frame - this.frame;
    this.frame = state.frame;
    if (!this.buffer || shotOf().sound?.muted) return;
    if (!state.playing) this.hear(this.at(state.frame), GRAIN_S);
    // Round the loop, or a jump: the sound goes where the picture is. Backwards it is silent.
    else if (Math.abs(way) > 6 + 2 * state.speed) this.start();
    else if (way < 0) this.stop();
    else if (!this.playing) this.start();
  }

  private start(): void {
    this.stop();
    if (!this.buffer || shotOf().sound?.muted) return;
    this.frame = state.frame;
    this.playing = this.hear(this.at(state.frame));
  }

  private stop(): void {
    this.playing?.stop();
    this.playing = null;
  }

  private hear(from: number, lasting?: number): AudioBufferSourceNode | null {
    const { buffer } = this;
    if (!buffer || from >= buffer.duration || (lasting && from < 0)) return null;
    this.context ??= new AudioContext();
    void this.context.resume();
    const now = this.context.currentTime;
    const source = this.context.createBufferSource();
    const gain = this.context.createGain();
    source.buffer = buffer;
    source.playbackRate.value = state.speed;
    source.connect(gain).connect(this.context.destination);
    if (lasting) {
      gain.gain.setValueAtTime(0, now);
      gain.gain.linearRampToValueAtTime(1, now + FADE_S);
      gain.gain.setValueAtTime(1, now + lasting - FADE_S);
      gain.gain.linearRampToValueAtTime(0, now + lasting);
      source.start(now, from, lasting);
    } else source.start(now + Math.max(0, -from / state.speed), Math.max(0, from));
    return source;
  }
}
