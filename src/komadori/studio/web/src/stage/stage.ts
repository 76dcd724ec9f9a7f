// The stage: one canvas, one camera, the original beside (or under) the result.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { unpackedAs } from "../binary";
import { bytes } from "../connection";
import type { View } from "../generated";
import { jumped } from "../player";
import { goTo, muted, on, resultMotion, sheet, sheetPart, shownView, state, tell, trouble } from "../state";
import { colour, isDark } from "../theme";
import { drawingsAround } from "../timeline/exposures";
import { Actor, Clip, type Overlay, type Posed } from "./actor";
import { Arcs } from "./arcs";
import { Company } from "./company";
import { castFrom, Floor, lightOf, paintShadows } from "./floor";
import { middleOf, Partner } from "./partner";
import { Strobe } from "./strobe";

const BEFORE = 0x3b82f6;
const AFTER = 0xf97316;
const ONION = 2;
/** From where a body is seen at first, and from where the named views see it; bodies face along z. */
const OBLIQUE = new THREE.Vector3(1.8, 0.5, 4.2).normalize();
export const VIEWS = {
  front: new THREE.Vector3(0, 0, 1),
  side: new THREE.Vector3(1, 0, 0),
  back: new THREE.Vector3(0, 0, -1),
  top: new THREE.Vector3(0, 1, 0.0001).normalize(),
};

/** As near as the camera may come to what it looks at: a hand then fills the picture. */
const NEAREST_M = 0.1;

export class Stage {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(30, 1, 0.01, 500);
  readonly controls: OrbitControls;
  readonly renderer: THREE.WebGLRenderer;
  original: Actor | null = null;
  result: Actor | null = null;
  clip: Clip | null = null;
  /** The result's own motion, where a sheet alone does not tell it. */
  resultClip: Clip | null = null;
  /** A pose in hand: it is shown instead of any motion's frame. */
  live: Posed | null = null;
  /** Poses of the puppet's keys around the one in hand. */
  keyGhosts: Posed[] = [];
  readonly grid = new Floor();
  private readonly sun = new THREE.DirectionalLight(0xffffff, Math.PI);
  private readonly arcs = new Arcs();
  private readonly strobe = new Strobe();
  /** What lies under the picture, drawn into stills and films too. */
  underlay: ((pen: CanvasRenderingContext2D, width: number, height: number) => void) | null = null;
  private readonly waits: (() => Promise<void>)[] = [];
  /** Milliseconds spent on pictures so far. */
  drawing = 0;
  private resultAddress = "";
  /** The part whose own motion is shown. */
  private resultPart = "";
  /** Turns of some joints that are laid over the clip. */
  readonly overlays: { original: Overlay | null; result: Overlay | null } = { original: null, result: null };
  /** What is seen with the result alone. */
  readonly besideResult = new THREE.Group();
  readonly partner: Partner;
  readonly company: Company;
  private ghosts: Actor[] = [];
  private fetching = 0;
  /** What was captured, as a flat blue figure behind the result. */
  private captured: Actor | null = null;
  /** Where the body was when the camera last went with it. */
  private followed: THREE.Vector3 | null = null;
  private opened: string | null = null;
  private renewed = false;
  /** What the camera looked at when the character was framed. */
  private readonly home = new THREE.Vector3(0, 0.9, 0);
  private figure = "";
  private dirty = true;
  private loading = 0;
  /** The body that the next picture shows for the first time. */
  private arrived = "";
  private arrivedAs = "";
  private readonly extras: ((time: number) => boolean)[] = [];
  private readonly followers: (() => void)[] = [];

  constructor() {
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.element = document.createElement("div");
    this.element.className = "stage";
    this.element.append(this.canvas);
    this.partner = new Partner(this.scene, () => this.draw());
    this.company = new Company(this.scene, () => this.draw());
    this.renderer = new THREE.WebGLRenderer({
      canvas: this.canvas,
      antialias: true,
      alpha: true,
      stencil: true,
      powerPreference: "high-performance",
    });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setScissorTest(true);
    this.renderer.setClearColor(0x000000, 0);
    this.scene.add(this.sun, this.sun.target, new THREE.AmbientLight(0xffffff, 0.25));
    this.scene.add(this.grid, this.besideResult);
    this.besideResult.add(this.arcs.group, this.strobe.group);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.minDistance = NEAREST_M;
    this.controls.addEventListener("change", () => this.draw());
    this.camera.position.set(1.8, 1.4, 4.2);
    this.controls.target.set(0, 0.9, 0);
    new ResizeObserver(() => this.resize()).observe(this.element);
    on(["body"], () => void this.load());
    on(["scene"], () => this.open());
    on(["frame", "answer", "view", "part"], () => this.draw());
    on(["answer", "part"], () => void this.fetchResult());
    on(["theme"], () => this.paint());
    this.paint();
    requestAnimationFrame((time) => this.tick(time));
  }

  /** Something to do before every picture; it says whether the picture must be redrawn. */
  each(run: (time: number) => boolean): void {
    this.extras.push(run);
  }

  /** Something to do after the figures were posed for a picture. */
  posed(run: () => void): void {
    this.followers.push(run);
  }

  draw(): void {
    this.dirty = true;
  }

  private paint(): void {
    this.grid.paint();
    paintShadows(isDark());
    this.draw();
  }

  /** Something that must be there before a picture counts: a film waits for it. */
  waitsFor(run: () => Promise<void>): void {
    this.waits.push(run);
  }

  async ready(): Promise<void> {
    await Promise.all(this.waits.map((run) => run()));
  }

  /** The stage as it is now, with what lies under it, as its own picture. */
  snapshot(): HTMLCanvasElement {
    this.dirty = false;
    this.render();
    const made = document.createElement("canvas");
    made.width = this.canvas.width;
    made.height = this.canvas.height;
    const pen = made.getContext("2d", { alpha: false });
    if (!pen) return made;
    pen.fillStyle = colour("stage");
    pen.fillRect(0, 0, made.width, made.height);
    this.underlay?.(pen, made.width, made.height);
    pen.drawImage(this.canvas, 0, 0);
    return made;
  }

  /** Where the pointer is in the picture of the result, -1 to 1; null if that is not. */
  pointed(event: PointerEvent): THREE.Vector2 | null {
    const box = this.canvas.getBoundingClientRect();
    const left = shownView() === "side" ? Math.floor(box.width / 2) : 0;
    const x = event.clientX - box.left - left;
    const y = event.clientY - box.top;
    const width = box.width - left;
    if (x < 0 || x > width || y < 0 || y > box.height) return null;
    return new THREE.Vector2((2 * x) / width - 1, 1 - (2 * y) / box.height);
  }

  /** Where a place of the world is seen, in pixels from the picture's corner on the page. */
  seenAt(place: THREE.Vector3): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    const left = shownView() === "side" ? Math.floor(box.width / 2) : 0;
    const at = place.clone().project(this.camera);
    return [box.left + left + ((at.x + 1) / 2) * (box.width - left), box.top + ((1 - at.y) / 2) * box.height];
  }

  /** Hides everything but the result, for its own picture. */
  alone(): void {
    this.shown(false, true);
    this.besideResult.visible = this.grid.visible = false;
    for (const ghost of this.ghosts) ghost.root.visible = false;
  }

  /** The joint that tells where the body is. */
  private get hips(): number {
    return state.body?.roles.hips ?? 0;
  }

  /** Another clip begins at its first frame, and is seen as at first. */
  private open(): void {
    const motion = state.told?.scene.motion ?? "";
    if (this.opened !== null && motion !== this.opened) {
      this.renewed = true;
      goTo(0);
      jumped();
    }
    this.opened = motion;
  }

  /** The whole character in the picture, seen from where one is, or `from` a direction. */
  frameAll(from: THREE.Vector3 | null = null): void {
    const body = state.body;
    const actor = this.result;
    if (!body || !actor) return;
    const height = body.height;
    // The frame may have changed since the last picture.
    this.pose();
    actor.root.updateMatrixWorld(true);
    const middle = actor.place(this.hips);
    this.followed = middle.clone().setY(0);
    middle.y = height * 0.5;
    const away = from?.clone() ?? new THREE.Vector3().subVectors(this.camera.position, this.controls.target).normalize();
    const distance = (height * 0.78) / Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
    this.controls.target.copy(middle);
    this.home.copy(middle);
    this.camera.position.copy(middle).addScaledVector(away, distance);
    this.controls.update();
    this.draw();
  }

  private async load(): Promise<void> {
    const body = state.body;
    if (!body) return;
    const turn = ++this.loading;
    this.busy(1);
    this.element.classList.add("busy");
    try {
      const fresh = body.figure !== this.figure;
      const [glb, sent] = await Promise.all([fresh ? bytes(body.figure) : null, bytes(body.motion)]);
      const actors = glb ? { original: await Actor.load(glb), result: await Actor.load(glb) } : null;
      if (turn !== this.loading) {
        actors?.original.dispose();
        actors?.result.dispose();
        return;
      }
      if (actors) {
        this.clear();
        this.original = actors.original;
        this.result = actors.result;
        for (let n = 0; n < 2 * ONION; n++) {
          const ghost = actors.result.ghost(n < ONION ? BEFORE : AFTER, n % ONION ? 0.14 : 0.26);
          this.ghosts.push(ghost);
          this.scene.add(ghost.root);
        }
        this.captured = actors.original.ghost(BEFORE, 0.45);
        this.captured.root.name = "captured";
        this.scene.add(this.captured.root);
        for (const [name, actor] of Object.entries(actors)) {
          actor.root.name = name;
          this.scene.add(actor.shaded(body.height, this.hips).root);
        }
        this.figure = body.figure;
      }
      for (const actor of [this.original, this.result, this.captured, ...this.ghosts]) actor?.toRest();
      this.clip = new Clip(unpackedAs("motion", sent));
      this.resultClip = null;
      this.resultAddress = "";
      // The answer may have been quicker than the body that it is about.
      void this.fetchResult();
      this.pose();
      if (actors || this.renewed) this.frameAll(this.renewed ? OBLIQUE : null);
      this.renewed = false;
      this.arrived = this.arrivedAs = `${body.name} ${body.motion}`;
      tell("view");
    } catch (error) {
      trouble((error as Error).message, "body");
    } finally {
      this.busy(-1);
      if (turn === this.loading) this.element.classList.remove("busy");
    }
  }

  private busy(more: 1 | -1): void {
    this.fetching += more;
    this.element.setAttribute("aria-busy", String(this.fetching > 0));
  }

  /** From where the result is seen now, as the scene keeps it. */
  view(): View {
    const here = state.follow && this.result ? this.result.place(this.hips).setY(0) : new THREE.Vector3();
    const plain = (place: THREE.Vector3) =>
      place
        .clone()
        .sub(here)
        .toArray()
        .map((metres) => Number(metres.toFixed(4))) as View["eye"];
    return { eye: plain(this.camera.position), target: plain(this.controls.target), fov_deg: this.camera.fov, follows: state.follow };
  }

  /** The result's own motion; of several that were asked for, the newest counts. */
  private async fetchResult(): Promise<void> {
    const address = resultMotion();
    if (address === this.resultAddress) return;
    this.resultAddress = address;
    if (state.part !== this.resultPart) this.resultClip = null;
    this.resultPart = state.part;
    let clip: Clip | null = null;
    this.busy(1);
    try {
      clip = address ? new Clip(unpackedAs("motion", await bytes(address))) : null;
    } catch (error) {
      // The line may be lost; what is told when it is back is fetched again.
      if (address !== this.resultAddress) return;
      this.resultAddress = "";
      trouble((error as Error).message, "body");
    } finally {
      this.busy(-1);
    }
    if (clip ? address !== this.resultAddress : this.resultAddress) return;
    this.resultClip = clip;
    state.resultFrames = clip?.frames ?? 0;
    tell("clip");
    this.draw();
  }

  private clear(): void {
    for (const actor of [this.original, this.result, this.captured, ...this.ghosts]) actor?.dispose();
    this.ghosts = [];
    this.strobe.clear();
  }

  private pose(): void {
    const clip = this.clip;
    if (!clip) return;
    const shown = sheet();
    const frame = Math.min(state.frame, shown.length - 1);
    this.original?.show(clip, this.partner.active ? (shown[frame] ?? 0) : state.frame);
    if (shownView() === "over") this.captured?.show(clip, state.frame);
    this.partner.pose(frame);
    this.company.pose(frame, this.live !== null);
    if (this.live) this.result?.put(this.live);
    else if (this.resultClip && !muted()) this.result?.show(this.resultClip, frame);
    else this.result?.show(clip, shown[frame] ?? 0);
    const { original, result } = this.overlays;
    for (const actor of [this.original, this.captured]) if (actor) original?.turn(actor.bones, state.frame);
    // Hair has its own clock: it continues while the body is held.
    if (this.result) result?.turn(this.result.bones, frame);
    const alone = state.part === "puppet" || this.partner.active;
    const neighbours = state.onion && !alone ? drawingsAround(shown, frame, ONION) : [];
    const keys = state.onion && state.part === "puppet" && this.live ? this.keyGhosts : [];
    this.ghosts.forEach((ghost, n) => {
      const drawing = neighbours[n];
      const key = n % ONION ? undefined : keys[n / ONION];
      if (key) {
        ghost.root.visible = true;
        ghost.put(key);
        return;
      }
      ghost.root.visible = drawing !== undefined && drawing >= 0;
      if (drawing === undefined || drawing < 0) return;
      ghost.show(this.resultClip && !sheetPart() ? this.resultClip : clip, drawing);
      result?.turn(ghost.bones, drawing);
    });
    const own = this.resultClip && !sheetPart() ? this.resultClip : clip;
    this.arcs.follow(
      alone ? null : this.result,
      own,
      shown,
      frame,
      `${state.part} ${this.arrivedAs} ${state.answers[state.part]?.revision}`,
    );
    this.strobe.follow(alone ? null : this.result, own, shown, frame);
    for (const run of this.followers) run();
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.element;
    if (!clientWidth || !clientHeight) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.draw();
  }

  private tick(time: number): void {
    requestAnimationFrame((next) => this.tick(next));
    for (const extra of this.extras) if (extra(time)) this.dirty = true;
    if (!this.dirty) return;
    this.dirty = false;
    this.render();
  }

  private render(): void {
    this.pose();
    this.goAlong();
    const { clientWidth: width, clientHeight: height } = this.element;
    const ghosts = this.ghosts.filter((ghost) => ghost.root.visible);
    const view = shownView();
    const began = performance.now();
    const tall = state.body?.height ?? 1;
    const { actor, told } = this.partner;
    const away = (told?.size ?? tall) / tall;
    this.partner.aside(view === "over" ? this.camera : null);
    if (view === "side") {
      const half = Math.floor(width / 2);
      this.shown(true, false);
      for (const ghost of this.ghosts) ghost.root.visible = false;
      this.picture(0, half, height, this.original, tall, 1, this.apart());
      this.shown(false, true);
      for (const ghost of ghosts) ghost.root.visible = true;
      this.picture(half, width - half, height, actor ?? this.result, told?.height ?? tall, away);
    } else {
      const both = view === "over";
      this.shown(both, true);
      this.picture(0, width, height, both ? this.original : (actor ?? this.result), tall, away);
    }
    this.drawing += performance.now() - began;
    if (this.arrived) this.element.dataset.shown = this.arrived;
    this.arrived = "";
  }

  /** The camera goes with the body over the ground. A pose in hand moves under a camera that stays, unless it is elsewhere. */
  private goAlong(): void {
    const { result } = this;
    // The wheel goes to what is under the pointer, as a hand needs it; side by side there are two pictures, and it goes to the middle of both.
    this.controls.zoomToCursor = shownView() !== "side" && !this.partner.active;
    if (!result || !state.follow || this.partner.active) return;
    const here = result.place(this.hips).setY(0);
    const way = here.clone().sub(this.followed ?? here);
    if (this.live && way.length() < (state.body?.height ?? 1)) return;
    this.followed = here;
    for (const place of [this.camera.position, this.controls.target, this.home]) place.add(way);
  }

  /** How far the original is from the result, where each has its own picture that goes with it. */
  private apart(): THREE.Vector3 | null {
    if (!this.original || !this.result || !state.follow || this.partner.active) return null;
    return this.original.place(this.hips).sub(this.result.place(this.hips)).setY(0);
  }

  private shown(original: boolean, result: boolean): void {
    const flat = shownView() === "over" && !this.partner.active;
    if (this.original) this.original.root.visible = original && !flat;
    if (this.captured) this.captured.root.visible = original && flat;
    if (this.result) this.result.root.visible = result && !this.partner.active;
    this.partner.visible(result);
    this.company.visible(result);
    this.besideResult.visible = result;
    this.grid.visible = true;
  }

  /** Draws what is visible. Two different bodies go different ways: each side's camera then goes with its own, `away` times as far. */
  private picture(
    x: number,
    width: number,
    height: number,
    actor: Actor | null = null,
    tall = 1,
    away = 1,
    shift: THREE.Vector3 | null = null,
  ): void {
    const kept = this.camera.position.clone();
    if (shift) this.camera.position.add(shift);
    if (actor && this.partner.active) {
      const pan = new THREE.Vector3().subVectors(this.controls.target, this.home);
      const back = new THREE.Vector3().subVectors(kept, this.controls.target).multiplyScalar(away);
      this.camera.position.copy(middleOf(actor, tall)).addScaledVector(pan, away).add(back);
    }
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    const light = lightOf(this.camera);
    this.sun.position.copy(light);
    castFrom(light);
    const middle = actor ? actor.place(actor === this.partner.actor ? 0 : this.hips).setY(0) : this.controls.target;
    this.grid.around(middle, 4.2 * Math.max(tall, 0.8));
    this.renderer.setViewport(x, 0, width, height);
    this.renderer.setScissor(x, 0, width, height);
    this.renderer.render(this.scene, this.camera);
    this.camera.position.copy(kept);
  }
}
