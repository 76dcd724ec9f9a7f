// The puppet's page half: where the handle is, what is being recorded, and the poses that the server sends back for it.

import type * as THREE from "three";
import { at, placeAt } from "./arrays";
import { type Ask, HAND_KIND, type HandInput, type PoseArrays, type PuppetPart } from "./generated";
import { pause, play } from "./player";
import type { Stage } from "./stage/stage";
import { on, state, tell, trouble } from "./state";
import { t } from "./words";

export type Place = [number, number, number];

/** Numbers that a 32-bit float can hold exactly. */
const EXACT = 2 ** 24;
const MEASURES = 2000;
export const MEASURE = "puppet pose";

interface Recording {
  number: number;
  began: number;
  retime: string;
}

let gestures = 0;

export function gesture(kind: string): string {
  return `${kind} ${++gestures} ${Date.now()}`;
}

export function distance([ax, ay, az]: Place, [bx, by, bz]: Place): number {
  return Math.hypot(ax - bx, ay - by, az - bz);
}

export class Puppet {
  handle: Place = [0, 1, 0];
  /** How well the keys define the pose in hand, 0 to 1. */
  defined = 1;
  travel: [number, number] = [0, 0];
  selected = "";
  joint = -1;
  /** R was pressed: the next movement of the handle is recorded; `retime` names a take that is performed again. */
  armed: { retime: string } | null = null;
  recording: Recording | null = null;
  /** While a joint's ring is being turned the page knows the pose before the server does. */
  turning = false;
  /** While a joint is being drawn its own answers tell the pose; the scene's is older. */
  private pulling = false;
  /** The frame of the opened motion that was last looked at. */
  clipFrame = 0;
  private serial = 0;
  private applied = 0;
  private measured = 0;
  private placed = false;
  private inside = false;
  private fresh = false;
  private readonly sent = new Map<number, { at: number; drawing: number }>();

  constructor(
    private readonly stage: Stage,
    private readonly send: (input: HandInput) => void,
    readonly ask: (message: Ask) => void,
  ) {
    on(["body"], () => {
      this.placed = false;
      this.joint = -1;
      this.stage.live = null;
      this.answered();
    });
    on(["answer"], () => this.answered());
    on(["scene"], () => this.told());
    on(["part"], () => (state.part === "puppet" ? this.enter() : this.leave()));
    on(["connection"], () => {
      if (!state.connected) this.recording = this.armed = null;
    });
    on(["playing"], () => {
      if (state.playing && this.playable) this.stage.live = null;
    });
    on(["frame"], () => {
      if (state.part === "puppet" && !this.recording && this.playable) this.showFrame();
    });
    on(["clip"], () => {
      state.handleSteps = this.steps();
      if (state.part !== "puppet" || !this.fresh || !this.playable) return;
      this.fresh = false;
      this.loop();
    });
  }

  get part(): PuppetPart | null {
    return state.told?.scene.puppet ?? null;
  }

  get playable(): boolean {
    return state.part === "puppet" && state.resultFrames > 0;
  }

  /** The handle goes to `place`; `at` is when the hand did it, and all its places since the last time are recorded. */
  move(place: Place, at = performance.now(), between: { place: Place; at: number }[] = []): void {
    if (state.playing) pause();
    this.handle = place;
    if (this.armed && !this.recording) this.begin(at);
    const recording = this.recording;
    if (recording) for (const one of between) this.tell(HAND_KIND.handle, recording.number, one.place, this.seconds(one.at));
    this.tell(HAND_KIND.handle, recording?.number ?? 0, place, recording ? this.seconds(at) : -1);
    tell("hand");
  }

  /** A joint is drawn to `place`, as part of the drag `number`. */
  pull(joint: number, place: Place, number: number): void {
    if (state.playing) pause();
    this.pulling = true;
    this.tell(HAND_KIND.pull, joint, place, number);
  }

  /** Asks for the pose at the handle, as it is now. */
  look(): void {
    if (state.playing) pause();
    this.tell(HAND_KIND.handle, 0, this.handle, -1);
    tell("hand");
  }

  drop(): void {
    this.ask({ type: "key", edit: "drop", place: this.handle, gesture: gesture("drop") });
  }

  select(name: string): void {
    this.selected = name;
    const key = this.part?.keys.find((one) => one.name === name);
    if (key) this.handle = key.place;
    this.look();
  }

  step(direction: 1 | -1): void {
    const names = this.part?.keys.map((key) => key.name) ?? [];
    if (!names.length) return;
    const here = names.indexOf(this.selected);
    const next = here < 0 ? (direction > 0 ? 0 : -1) : here + direction;
    this.select(at(names, (next + names.length) % names.length));
  }

  remove(): void {
    if (this.part?.keys.some((key) => key.name === this.selected)) this.ask({ type: "key", edit: "delete", name: this.selected });
  }

  pose(edit: "rest" | "clip" | "mirror" | "release" | "keep"): void {
    this.pulling = false;
    this.ask({ type: "pose", edit, place: this.handle, frame: Math.min(this.clipFrame, (state.body?.frames ?? 1) - 1) });
  }

  turn(joint: number, rotation: THREE.QuaternionTuple, name: string): void {
    this.ask({ type: "pose", edit: "turn", place: this.handle, joint, rotation, gesture: name });
  }

  /** Escape: first what is chosen is let go, then the pose. */
  letGo(): void {
    if (this.armed || this.recording) this.record();
    else if (this.joint >= 0) this.choose(-1);
    else if (this.part?.posed) this.pose("release");
  }

  choose(joint: number): void {
    this.joint = joint;
    this.look();
  }

  /** R: arms, and disarms or ends what is being recorded. While the handle is held it begins at once. */
  record(retime = "", held = false): void {
    if (this.recording) {
      this.finish();
      return;
    }
    if (!this.part?.keys.length) {
      trouble(t("add a key first: press K"), "puppet");
      return;
    }
    if (this.armed) this.armed = null;
    else {
      this.armed = { retime };
      if (held) this.move(this.handle);
      else this.look();
    }
    tell("hand");
  }

  /** The hand let go of the handle: a recording ends with it. */
  released(): void {
    if (this.recording) this.finish();
  }

  show(what: "take" | "sequence" | "walk", name = ""): void {
    const shown = what === "take" ? `take:${name}` : what;
    if (this.part?.shown === shown && this.playable) {
      this.loop();
      return;
    }
    this.fresh = true;
    this.ask({ type: "take", edit: "show", what, name });
  }

  brought(answer: PoseArrays): void {
    const { serial, defined, travel, rotations, positions } = answer;
    const began = this.sent.get(serial);
    for (const old of this.sent.keys()) if (old <= serial) this.sent.delete(old);
    if (serial < this.applied || this.turning || state.part !== "puppet" || state.playing) return;
    if (positions.shape[0] !== state.body?.joints.length) return;
    this.applied = serial;
    this.defined = defined;
    this.travel = travel;
    this.stage.live = { rotations: rotations.data, positions: positions.data };
    this.stage.result?.put(this.stage.live);
    this.stage.company.brought(answer);
    if (began) {
      if (++this.measured % MEASURES === 0) performance.clearMeasures(MEASURE);
      performance.measure(MEASURE, { start: began.at, detail: { drawing: this.stage.drawing - began.drawing } });
    }
    this.stage.draw();
    tell("hand");
  }

  private begin(at: number): void {
    const number = 1 + Math.floor(Math.random() * (EXACT - 2));
    this.recording = { number, began: at, retime: this.armed?.retime ?? "" };
    this.armed = null;
    this.ask({ type: "take", edit: "begin", number, name: this.recording.retime, gesture: `record ${number}` });
  }

  private finish(): void {
    if (!this.recording) return;
    const { number } = this.recording;
    const value = this.seconds(performance.now());
    this.recording = null;
    this.fresh = true;
    this.ask({ type: "take", edit: "finish", number, value, gesture: `record ${number}` });
    tell("hand");
  }

  private loop(): void {
    state.loop = true;
    state.frame = 0;
    this.stage.live = null;
    if (state.playing) pause();
    play();
    this.showFrame();
  }

  /** The handle follows the take that is played. */
  private showFrame(): void {
    this.stage.live = null;
    this.stage.draw();
    tell("hand");
  }

  private seconds(at: number): number {
    return Math.max(0, (at - (this.recording?.began ?? at)) / 1000);
  }

  private tell(kind: number, which: number, [x, y, z]: Place, seconds: number): void {
    this.serial = (this.serial % (EXACT - 1)) + 1;
    if (this.serial === 1) this.applied = 0;
    this.sent.set(this.serial, { at: performance.now(), drawing: this.stage.drawing });
    this.send({ kind, serial: this.serial, which, x, y, z, seconds, frame: 0 });
  }

  private answered(): void {
    if (state.part !== "puppet" || !state.puppet || this.placed) return;
    this.placed = true;
    const last = this.part?.keys.at(-1);
    this.handle = last?.place ?? state.puppet.home;
    this.look();
  }

  /** The scene changed, perhaps by undo: the pose in hand is asked for again. */
  private told(): void {
    if (state.part !== "puppet") return;
    if (this.recording && this.part?.recording && this.part.recording.number !== this.recording.number) this.recording = null;
    if (!this.part?.keys.some((key) => key.name === this.selected)) this.selected = "";
    if (!this.recording && !state.playing && !this.turning && !this.pulling && this.stage.live) this.look();
    else tell("hand");
  }

  /** Metres that the handle goes from frame to frame of what is shown. */
  private steps(): number[] {
    const led = state.part === "puppet" ? this.stage.resultClip?.handle : null;
    if (!led) return [];
    return Array.from({ length: led.length / 3 - 1 }, (_, n) => distance(placeAt(led, n), placeAt(led, n + 1)));
  }

  private enter(): void {
    this.inside = true;
    this.clipFrame = state.frame;
    state.frame = 0;
    this.look();
  }

  private leave(): void {
    if (!this.inside) return;
    this.inside = false;
    state.frame = this.clipFrame;
    this.stage.live = null;
    this.armed = null;
    if (this.recording) this.finish();
  }
}
