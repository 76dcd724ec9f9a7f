// The puppet on the stage: the pink handle with its shadow, yellow keys, joints to drag, and red where poses are undefined.

import * as THREE from "three";
import { TransformControls } from "three/addons/controls/TransformControls.js";
import { placeAt } from "../arrays";
import { unpackedAs } from "../binary";
import { bytes } from "../connection";
import { distance, gesture, type Place, type Puppet } from "../puppet";
import { on, state } from "../state";
import { type Posed, posed } from "./actor";
import { Ball } from "./ball";
import { needs } from "./cloud";
import { Dots } from "./dots";
import type { Stage } from "./stage";

const PINK = new THREE.Color(0xff4f9a);
const RED = new THREE.Color(0xc00010);
const YELLOW = 0xf5c518;
const CHOSEN = 0xf97316;
const NEAR_PX = 14;
/** The selected key is held by a ring around the handle, which stands in its place. */
const RING_PX = 26;
const CLICK_PX = 4;
const CELL = 0.5;

interface Grabbed {
  kind: "handle" | "key" | "joint";
  /** A shadow is dragged along the ground, everything else along the screen. */
  ground: boolean;
  name: string;
  joint: number;
  /** What stands in the place that is dragged: of a shadow, the ball above it. */
  anchor: THREE.Object3D;
}

interface Drag extends Grabbed {
  pointer: number;
  plane: THREE.Plane;
  offset: THREE.Vector3;
  height: number;
  from: [number, number];
  moved: boolean;
  gesture: string;
  number: number;
}

function grab(kind: Grabbed["kind"], anchor: THREE.Object3D, name = "", ground = false): Grabbed {
  return { kind, ground, name, joint: -1, anchor };
}

export class PuppetStage {
  /** Whether the places that need a key are shown. */
  map = true;
  private readonly group = new THREE.Group();
  private readonly gizmo: TransformControls;
  private handle: Ball | null = null;
  private keys = new Map<string, Ball>();
  private readonly joints: Dots;
  private readonly ring = new THREE.Mesh(
    new THREE.RingGeometry(0.72, 1, 40),
    new THREE.MeshBasicMaterial({ color: CHOSEN, transparent: true, opacity: 0.85, depthTest: false, depthWrite: false }),
  );
  private cloud: THREE.Points | null = null;
  private cloudAddress = "";
  private path: THREE.Line | null = null;
  private hover: Grabbed | null = null;
  private drag: Drag | null = null;
  private drags = 0;
  private turn = "";
  private readonly ray = new THREE.Raycaster();

  constructor(
    private readonly stage: Stage,
    private readonly puppet: Puppet,
  ) {
    this.ring.name = "ring";
    this.ring.renderOrder = 10;
    this.ring.visible = false;
    this.joints = new Dots(stage);
    this.group.add(this.ring, this.joints.group);
    stage.besideResult.add(this.group);
    this.gizmo = new TransformControls(stage.camera, stage.canvas);
    this.gizmo.setMode("rotate");
    this.gizmo.setSpace("local");
    this.gizmo.setSize(0.7);
    // The free ball in the middle would lie over the joint itself and over its neighbours.
    this.gizmo.showXYZE = this.gizmo.showE = false;
    stage.besideResult.add(this.gizmo.getHelper());
    this.gizmo.addEventListener("change", () => stage.draw());
    this.gizmo.addEventListener("dragging-changed", (event) => this.turning(Boolean(event.value)));
    this.gizmo.addEventListener("objectChange", () => this.turned());
    const element = stage.element;
    element.addEventListener("pointerdown", (event) => this.down(event), true);
    element.addEventListener("pointermove", (event) => this.moved(event), true);
    element.addEventListener("pointerup", (event) => this.up(event), true);
    element.addEventListener("pointercancel", (event) => this.up(event), true);
    on(["body"], () => this.clear());
    on(["scene", "answer", "part", "hand", "clip", "view"], () => this.renew());
    on(["answer", "part"], () => void this.fetchMap());
    on(["clip", "part"], () => this.drawPath());
    stage.each(() => this.follow());
  }

  get held(): boolean {
    return this.drag?.kind === "handle";
  }

  renew(): void {
    const told = state.part === "puppet" && state.body ? state.puppet : null;
    this.group.visible = told !== null;
    this.stage.grid.position.set(0, 0, 0);
    if (!told || !state.body) {
      this.gizmo.detach();
      return;
    }
    const size = state.body.height;
    this.handle ??= new Ball(this.group, "handle", 0.026 * size, PINK);
    const { puppet } = this;
    const listed = puppet.part?.keys ?? [];
    for (const [name, ball] of this.keys) {
      if (listed.some((key) => key.name === name)) continue;
      ball.dispose();
      this.keys.delete(name);
    }
    for (const key of listed) {
      const ball = this.keys.get(key.name) ?? new Ball(this.group, key.name, 0.02 * size, YELLOW);
      this.keys.set(key.name, ball);
      if (!(this.drag?.kind === "key" && this.drag.name === key.name)) ball.put(key.place, this.ground);
      ball.colour(new THREE.Color(key.name === puppet.selected ? CHOSEN : YELLOW));
    }
    this.placeHandle(this.handle);
    const { live } = this.stage;
    this.joints.draw(state.body.grabs, size, {
      shown: Boolean(live && !puppet.recording && !puppet.armed),
      near: this.hover?.kind === "joint" ? this.hover.joint : -1,
      chosen: puppet.joint,
    });
    this.stage.keyGhosts = live ? this.neighbours() : [];
    // Where the handle is on the ground the body treads on the spot and the ground goes by.
    if (this.stage.live) this.stage.grid.position.set(-(puppet.travel[0] % CELL), 0, -(puppet.travel[1] % CELL));
    const bone = puppet.joint >= 0 && this.stage.live ? this.stage.result?.bones[puppet.joint] : undefined;
    if (!bone) this.gizmo.detach();
    else if (this.gizmo.object !== bone) this.gizmo.attach(bone);
    this.stage.draw();
  }

  private get ground(): number {
    const options = this.puppet.part?.options ?? {};
    return options.walks ? Number(options.ground ?? 0) : 0;
  }

  private placeHandle(handle: Ball): void {
    const { live, resultClip: clip } = this.stage;
    handle.ball.visible = handle.shadow.visible = Boolean(live || clip?.handle || !clip);
    if (!live && clip?.handle) {
      handle.put(placeAt(clip.handle, Math.min(state.frame, clip.frames - 1)), this.ground);
      handle.colour(PINK);
    } else {
      handle.put(this.puppet.handle, this.ground);
      handle.colour(PINK.clone().lerp(RED, 1 - this.puppet.defined));
    }
  }

  /** Before every picture the dots go to their joints, which only now have their places. */
  private follow(): boolean {
    this.encircle();
    if (this.group.visible && this.stage.live) this.joints.follow();
    return false;
  }

  /** The poses of the two keys that stand nearest to the handle, without the one in which it stands. */
  private neighbours(): Posed[] {
    const { handle, part } = this.puppet;
    const around = (part?.keys ?? []).map(({ place, pose }) => ({ far: distance(place, handle), pose })).filter(({ far }) => far > 2e-3);
    around.sort((a, b) => a.far - b.far);
    return around.slice(0, 2).map(({ pose }) => posed(pose));
  }

  /** Where the handle stands on the selected key, a ring of one size on the screen goes around both. */
  private encircle(): void {
    const ball = this.keys.get(this.puppet.selected)?.ball;
    const handle = this.handle?.ball;
    const { camera, canvas } = this.stage;
    const on = ball && handle?.visible && ball.position.distanceTo(handle.position) < 1e-3 && !this.puppet.recording && !this.puppet.armed;
    this.ring.visible = Boolean(on);
    if (!ball || !on) return;
    const spread = (0.5 * canvas.clientHeight) / Math.tan(THREE.MathUtils.degToRad(camera.fov / 2));
    this.ring.position.copy(ball.position);
    this.ring.quaternion.copy(camera.quaternion);
    this.ring.scale.setScalar((RING_PX * ball.position.distanceTo(camera.position)) / spread);
  }

  // ---- dragging ------------------------------------------------------------------------------------------------------

  private down(event: PointerEvent): void {
    if (state.part !== "puppet" || event.button !== 0 || event.target !== this.stage.canvas || this.gizmo.axis !== null) return;
    this.stage.canvas.focus();
    const found = this.at(event);
    if (!found) return;
    event.stopPropagation();
    event.preventDefault();
    const start = found.anchor.position.clone();
    const plane = found.ground
      ? new THREE.Plane(new THREE.Vector3(0, 1, 0), -this.ground)
      : new THREE.Plane().setFromNormalAndCoplanarPoint(this.stage.camera.getWorldDirection(new THREE.Vector3()), start);
    const foot = found.ground ? start.clone().setY(this.ground) : start;
    const hit = this.hit(event, plane) ?? foot;
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.drag = {
      ...found,
      plane,
      offset: foot.clone().sub(hit),
      height: start.y,
      pointer: event.pointerId,
      from: [event.clientX, event.clientY],
      moved: false,
      gesture: gesture(found.kind),
      number: ++this.drags,
    };
    if (found.kind === "handle" && this.puppet.armed) this.puppet.move(start.toArray() as Place, event.timeStamp);
  }

  private moved(event: PointerEvent): void {
    const drag = this.drag;
    if (!drag) {
      this.look(event);
      return;
    }
    if (event.pointerId !== drag.pointer) return;
    event.stopPropagation();
    if (!drag.moved && Math.hypot(event.clientX - drag.from[0], event.clientY - drag.from[1]) < CLICK_PX) return;
    drag.moved = true;
    const place = this.dragged(event, drag);
    if (!place) return;
    if (drag.kind === "handle") {
      const between = (event.getCoalescedEvents?.() ?? []).slice(0, -1);
      this.puppet.move(
        place,
        event.timeStamp,
        between.flatMap((one) => {
          const there = this.dragged(one, drag);
          return there ? [{ place: there, at: one.timeStamp }] : [];
        }),
      );
    } else if (drag.kind === "joint") this.puppet.pull(drag.joint, place, drag.number);
    else {
      this.keys.get(drag.name)?.put(place, this.ground);
      this.puppet.ask({ type: "key", edit: "move", name: drag.name, place, gesture: drag.gesture });
    }
    this.stage.draw();
  }

  private up(event: PointerEvent): void {
    const drag = this.drag;
    if (!drag || event.pointerId !== drag.pointer) return;
    event.stopPropagation();
    this.drag = null;
    if (drag.kind === "handle") this.puppet.released();
    else if (drag.kind === "key") this.puppet.select(drag.name);
    else if (drag.moved) this.puppet.pose("keep");
    else this.puppet.choose(this.puppet.joint === drag.joint ? -1 : drag.joint);
  }

  private look(event: PointerEvent): void {
    if (state.part !== "puppet" || event.buttons) return;
    const found = this.at(event);
    if (found?.kind === this.hover?.kind && found?.joint === this.hover?.joint && found?.name === this.hover?.name) return;
    this.hover = found;
    this.stage.canvas.style.cursor = found ? "grab" : "default";
    this.renew();
  }

  /** What is under the pointer: the handle before keys, keys before joints, joints before shadows, which lie far below; of each the nearest. */
  private at(event: PointerEvent): Grabbed | null {
    if (!this.handle) return null;
    const box = this.stage.canvas.getBoundingClientRect();
    const ahead = this.stage.camera.getWorldDirection(new THREE.Vector3());
    const spread = (0.5 * box.height) / Math.tan(THREE.MathUtils.degToRad(this.stage.camera.fov / 2));
    const found = this.things().flatMap(({ grabbed, object, radius, rank, near = NEAR_PX }) => {
      const [x, y] = this.stage.seenAt(object.position);
      const far = Math.hypot(x - event.clientX, y - event.clientY);
      const away = object.position.clone().sub(this.stage.camera.position);
      const wide = (radius / away.length()) * spread;
      return away.dot(ahead) > 0 && far <= Math.max(wide, near) ? [{ grabbed, far, rank }] : [];
    });
    found.sort((a, b) => a.rank - b.rank || a.far - b.far);
    return found[0]?.grabbed ?? null;
  }

  private things(): { object: THREE.Object3D; radius: number; rank: number; grabbed: Grabbed; near?: number }[] {
    const { handle } = this;
    if (!handle) return [];
    const found: ReturnType<PuppetStage["things"]> = [
      { object: handle.ball as THREE.Object3D, radius: handle.radius, rank: 0, grabbed: grab("handle", handle.ball) },
      { object: handle.shadow, radius: handle.radius, rank: 4, grabbed: grab("handle", handle.ball, "shadow", true) },
    ];
    for (const [name, { ball, shadow, radius }] of this.keys) {
      const near = name === this.puppet.selected && this.ring.visible ? RING_PX : NEAR_PX;
      found.push({ object: ball, radius, rank: 2, grabbed: grab("key", ball, name), near });
      found.push({ object: shadow, radius, rank: 5, grabbed: grab("key", ball, name, true) });
    }
    for (const { joint, dot } of this.joints.taken)
      found.push({ object: dot, radius: 0, rank: 3, grabbed: { ...grab("joint", dot), joint } });
    return found.filter(({ object }) => object.visible);
  }

  private dragged(event: PointerEvent, drag: Drag): Place | null {
    const hit = this.hit(event, drag.plane);
    if (!hit) return null;
    const place = hit.add(drag.offset);
    if (drag.ground) place.y = drag.height;
    if (drag.kind === "handle" && this.puppet.part?.options.walks) place.y = Math.max(place.y, this.ground);
    // Looking along the ground a hand's breadth is miles: the handle stays near the body.
    return place.length() < 50 ? (place.toArray() as Place) : null;
  }

  private hit(event: PointerEvent, plane: THREE.Plane): THREE.Vector3 | null {
    const at = this.stage.pointed(event);
    if (!at) return null;
    this.ray.setFromCamera(at, this.stage.camera);
    return this.ray.ray.intersectPlane(plane, new THREE.Vector3());
  }

  // ---- turning a joint -----------------------------------------------------------------------------------------------

  private turning(begins: boolean): void {
    this.stage.controls.enabled = !begins;
    this.puppet.turning = begins;
    if (begins) this.turn = gesture("turn");
    else this.puppet.look();
  }

  private turned(): void {
    const { joint } = this.puppet;
    const bone = this.stage.result?.bones[joint];
    const { live } = this.stage;
    if (!bone || !live || !this.puppet.turning) return;
    bone.quaternion.toArray(live.rotations, 4 * joint);
    this.puppet.turn(joint, bone.quaternion.toArray(), this.turn);
  }

  // ---- where poses are undefined, and the path of a take ----------------------------------------------------------------

  private async fetchMap(): Promise<void> {
    const address = state.part === "puppet" && this.map ? (state.puppet?.map ?? "") : "";
    if (address === this.cloudAddress) return;
    this.cloudAddress = address;
    const sent = address ? await bytes(address).then((data) => unpackedAs("puppet_map", data), lost) : null;
    if (address !== this.cloudAddress) return;
    this.cloud?.removeFromParent();
    this.cloud?.geometry.dispose();
    this.cloud = null;
    this.stage.draw();
    if (!sent) return;
    this.cloud = needs(sent, RED, 0.09 * (state.body?.height ?? 1));
    this.group.add(this.cloud);
  }

  showMap(on: boolean): void {
    this.map = on;
    void this.fetchMap();
  }

  private drawPath(): void {
    this.path?.removeFromParent();
    this.path?.geometry.dispose();
    this.path = null;
    const led = state.part === "puppet" ? this.stage.resultClip?.handle : null;
    if (!led) return;
    const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(led, 3));
    this.path = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: PINK, transparent: true, opacity: 0.7 }));
    this.group.add(this.path);
    this.renew();
  }

  private clear(): void {
    this.gizmo.detach();
    for (const ball of this.keys.values()) ball.dispose();
    this.keys.clear();
    this.handle?.dispose();
    this.handle = null;
  }
}

/** A map that could not be fetched is not drawn; the one of the next answer is. */
function lost(): null {
  return null;
}
