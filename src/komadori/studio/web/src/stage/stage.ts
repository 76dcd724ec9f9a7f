// The stage: one canvas, one camera, the original beside (or under) the result.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { unpackedAs } from "../binary";
import { bytes } from "../connection";
import { on, resultMotion, sheet, sheetPart, shownView, state, tell, trouble } from "../state";
import { drawingsAround } from "../timeline/exposures";
import { Actor, Clip, type Overlay, type Posed } from "./actor";
import { middleOf, Partner } from "./partner";

const PAPER = 0xf4f1ea;
const BEFORE = 0x3b82f6;
const AFTER = 0xf97316;
const ONION = 2;

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
  readonly grid = new THREE.GridHelper(20, 40, 0xc9c2b4, 0xe0dacd);
  /** Milliseconds spent on pictures so far. */
  drawing = 0;
  private resultAddress = "";
  /** Turns of some joints that are laid over the clip. */
  readonly overlays: { original: Overlay | null; result: Overlay | null } = { original: null, result: null };
  /** What is seen with the result alone. */
  readonly besideResult = new THREE.Group();
  readonly partner: Partner;
  private ghosts: Actor[] = [];
  /** What the camera looked at when the character was framed. */
  private readonly home = new THREE.Vector3(0, 0.9, 0);
  private figure = "";
  private dirty = true;
  private loading = 0;
  /** The body that the next picture shows for the first time. */
  private arrived = "";
  private readonly extras: ((time: number) => boolean)[] = [];
  private readonly followers: (() => void)[] = [];

  constructor() {
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.element = document.createElement("div");
    this.element.className = "stage";
    this.element.append(this.canvas);
    this.partner = new Partner(this.scene, () => this.draw());
    this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: true, powerPreference: "high-performance" });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setScissorTest(true);
    this.scene.background = new THREE.Color(PAPER);
    const sun = new THREE.DirectionalLight(0xffffff, Math.PI);
    sun.position.set(1, 2, 1.5);
    this.scene.add(sun, new THREE.AmbientLight(0xffffff, 0.25));
    this.scene.add(this.grid, this.besideResult);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => this.draw());
    this.camera.position.set(1.8, 1.4, 4.2);
    this.controls.target.set(0, 0.9, 0);
    new ResizeObserver(() => this.resize()).observe(this.element);
    on(["body"], () => void this.load());
    on(["frame", "answer", "view", "part"], () => this.draw());
    on(["answer", "part"], () => void this.fetchResult());
    requestAnimationFrame((time) => this.tick(time));
  }

  /** Something to do before every picture; it says whether the picture must be drawn anew. */
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

  /** Where the pointer is in the picture of the result, -1 to 1; null where that is not. */
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

  /** Hides everything but the result, for a picture of its own. */
  alone(): void {
    this.shown(false, true);
    this.besideResult.visible = false;
    for (const ghost of this.ghosts) ghost.root.visible = false;
  }

  frameAll(): void {
    const body = state.body;
    const actor = this.result;
    if (!body || !actor) return;
    const height = body.height;
    const middle = new THREE.Vector3();
    actor.root.updateMatrixWorld(true);
    actor.bones[0]?.getWorldPosition(middle);
    middle.y = height * 0.5;
    const away = new THREE.Vector3().subVectors(this.camera.position, this.controls.target).normalize();
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
        for (const [name, actor] of Object.entries(actors)) {
          actor.root.name = name;
          this.scene.add(actor.shaded(body.height).root);
        }
        this.figure = body.figure;
      }
      for (const actor of [this.original, this.result, ...this.ghosts]) actor?.toRest();
      this.clip = new Clip(unpackedAs("motion", sent));
      this.resultClip = null;
      this.resultAddress = "";
      this.pose();
      if (actors) this.frameAll();
      this.arrived = `${body.name} ${body.motion}`;
      tell("view");
    } catch (error) {
      trouble((error as Error).message, "body");
    } finally {
      if (turn === this.loading) this.element.classList.remove("busy");
    }
  }

  /** The result's own motion; of several that were asked for, the newest counts. */
  private async fetchResult(): Promise<void> {
    const address = resultMotion();
    if (address === this.resultAddress) return;
    this.resultAddress = address;
    const clip = address ? new Clip(unpackedAs("motion", await bytes(address))) : null;
    if (address !== this.resultAddress) return;
    this.resultClip = clip;
    state.resultFrames = clip?.frames ?? 0;
    tell("clip");
    this.draw();
  }

  private clear(): void {
    for (const actor of [this.original, this.result, ...this.ghosts]) actor?.dispose();
    this.ghosts = [];
  }

  private pose(): void {
    const clip = this.clip;
    if (!clip) return;
    const shown = sheet();
    const frame = Math.min(state.frame, shown.length - 1);
    this.original?.show(clip, this.partner.active ? (shown[frame] ?? 0) : state.frame);
    this.partner.pose(frame);
    if (this.live) this.result?.put(this.live);
    else if (this.resultClip) this.result?.show(this.resultClip, frame);
    else this.result?.show(clip, shown[frame] ?? 0);
    const { original, result } = this.overlays;
    if (this.original) original?.turn(this.original.bones, state.frame);
    if (this.result) result?.turn(this.result.bones, shown[frame] ?? 0);
    const alone = state.part === "puppet" || this.partner.active;
    const neighbours = state.onion && !alone ? drawingsAround(shown, frame, ONION) : [];
    this.ghosts.forEach((ghost, n) => {
      const drawing = neighbours[n];
      ghost.root.visible = drawing !== undefined && drawing >= 0;
      if (drawing === undefined || drawing < 0) return;
      ghost.show(this.resultClip && !sheetPart() ? this.resultClip : clip, drawing);
      result?.turn(ghost.bones, drawing);
    });
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
    this.pose();
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
      this.picture(0, half, height, this.original, tall, 1);
      this.shown(false, true);
      for (const ghost of ghosts) ghost.root.visible = true;
      this.picture(half, width - half, height, actor, told?.height ?? tall, away);
    } else {
      const both = view === "over";
      this.shown(both, true);
      this.picture(0, width, height, both ? this.original : actor, tall, away);
    }
    this.drawing += performance.now() - began;
    if (this.arrived) this.element.dataset.shown = this.arrived;
    this.arrived = "";
  }

  private shown(original: boolean, result: boolean): void {
    if (this.original) this.original.root.visible = original;
    if (this.result) this.result.root.visible = result && !this.partner.active;
    this.partner.visible(result);
    this.besideResult.visible = result;
  }

  /** Draws what is visible. Two different bodies go different ways: each side's camera then goes with its own, `away` times as far. */
  private picture(x: number, width: number, height: number, actor: Actor | null = null, tall = 1, away = 1): void {
    const kept = this.camera.position.clone();
    if (actor && this.partner.active) {
      const pan = new THREE.Vector3().subVectors(this.controls.target, this.home);
      const back = new THREE.Vector3().subVectors(kept, this.controls.target).multiplyScalar(away);
      this.camera.position.copy(middleOf(actor, tall)).addScaledVector(pan, away).add(back);
    }
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
    this.renderer.setViewport(x, 0, width, height);
    this.renderer.setScissor(x, 0, width, height);
    this.renderer.render(this.scene, this.camera);
    this.camera.position.copy(kept);
  }
}
