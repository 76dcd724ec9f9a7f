// An actor: a figure on the stage, posed by numbers that the server sent. It knows nothing of any method.

import { MToonMaterialLoaderPlugin } from "@pixiv/three-vrm";
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import * as SkeletonUtils from "three/addons/utils/SkeletonUtils.js";
import { at } from "../arrays";
import type { MotionArrays, PosedBody } from "../generated";
import { cast } from "./floor";

/** A motion as it was sent: rotations (F, J, 4), and positions (F, M, 3) of the joints in `moving`. */
export class Clip {
  readonly frames: number;
  readonly joints: number;
  readonly rotations: Float32Array;
  readonly moving: Int32Array;
  readonly positions: Float32Array;
  /** Where the handle that led it was, (F, 3), if one did. */
  readonly handle: Float32Array | null;
  /** How many times as tall the body is and the point that stays, (F, 4), if it is squashed and stretched. */
  readonly stretch: Float32Array | null;

  constructor({ frames, rotations, moving, positions, handle, stretch }: MotionArrays) {
    this.frames = frames;
    this.joints = at(rotations.shape, 1);
    this.rotations = rotations.data;
    this.moving = moving.data;
    this.positions = positions.data;
    this.handle = handle?.data ?? null;
    this.stretch = stretch?.data ?? null;
  }
}

/** Turns of a few joints, laid over a clip; frames come piece by piece. */
export class Overlay {
  private readonly rotations: Float32Array;
  private readonly known: Uint8Array;

  constructor(
    readonly frames: number,
    readonly joints: Int32Array,
  ) {
    this.rotations = new Float32Array(4 * frames * joints.length);
    this.known = new Uint8Array(frames);
  }

  put(first: number, rotations: Float32Array): void {
    const size = 4 * this.joints.length;
    this.rotations.set(rotations, first * size);
    this.known.fill(1, first, first + rotations.length / size);
  }

  /** Where the turns at `frame` begin, or -1 while they are not there. */
  at(frame: number): number {
    return this.known[frame] ? 4 * this.joints.length * frame : -1;
  }

  turn(bones: THREE.Bone[], frame: number): void {
    const first = this.at(Math.max(0, Math.min(this.frames - 1, frame)));
    if (first < 0) return;
    for (const [n, joint] of this.joints.entries()) bones[joint]?.quaternion.fromArray(this.rotations, first + 4 * n);
  }

  fits(frames: number, joints: Int32Array): boolean {
    return frames === this.frames && joints.length === this.joints.length && joints.every((joint, n) => joint === this.joints[n]);
  }
}

/** One pose of all joints: rotations (J, 4) and positions (J, 3). */
export interface Posed {
  rotations: Float32Array;
  positions: Float32Array;
}

const poses = new WeakMap<PosedBody, Posed>();

/** A pose of the scene as numbers for the stage; made once. */
export function posed(body: PosedBody): Posed {
  const known = poses.get(body) ?? { rotations: Float32Array.from(body.rotations), positions: Float32Array.from(body.positions) };
  poses.set(body, known);
  return known;
}

export class Actor {
  readonly root: THREE.Object3D;
  /** Where it stands: a dark disc on the ground below the hips. */
  private readonly shade = new THREE.Mesh(
    new THREE.CircleGeometry(0.24, 40).rotateX(-Math.PI / 2),
    new THREE.MeshBasicMaterial({ color: 0x2b2733, transparent: true, opacity: 0.1, depthWrite: false }),
  );
  readonly bones: THREE.Bone[];
  private readonly rest: THREE.Vector3[];
  private hips = 0;
  private squashed = false;
  /** What last said where the joints are: whatever else it moved goes back to its place. */
  private placed: Int32Array | null = null;

  private constructor(root: THREE.Object3D, bones: THREE.Bone[]) {
    this.root = root;
    this.bones = bones;
    this.rest = bones.map((bone) => bone.position.clone());
  }

  static async load(glb: ArrayBuffer): Promise<Actor> {
    const loader = new GLTFLoader();
    loader.register((parser) => new MToonMaterialLoaderPlugin(parser));
    const gltf = await loader.parseAsync(glb, "");
    return new Actor(gltf.scene, bonesOf(gltf.scene));
  }

  /** The same figure once more, in one flat see-through colour. */
  ghost(colour: THREE.ColorRepresentation, opacity: number): Actor {
    const root = SkeletonUtils.clone(this.root);
    const extra: THREE.Object3D[] = [];
    root.traverse((one) => {
      if (one.name === "shade" || one.userData.shadow) extra.push(one);
    });
    for (const one of extra) one.removeFromParent();
    const material = new THREE.MeshBasicMaterial({
      color: colour,
      transparent: true,
      opacity,
      depthWrite: false,
      // Behind the figure itself, wherever it stands: the present drawing is what one looks at.
      polygonOffset: true,
      polygonOffsetFactor: 0,
      polygonOffsetUnits: 40000,
    });
    root.traverse((object) => {
      if (!(object instanceof THREE.Mesh)) return;
      // A figure with outlines is drawn twice, by two groups of one mesh; a ghost has no outline.
      if (Array.isArray(object.material)) object.material = [material, new THREE.MeshBasicMaterial({ visible: false })];
      else object.material = material;
      object.renderOrder = 2;
    });
    return new Actor(root, bonesOf(root));
  }

  show(clip: Clip, frame: number): void {
    const shown = Math.max(0, Math.min(clip.frames - 1, frame));
    this.turn(clip.rotations, shown * clip.joints * 4);
    const { moving, positions } = clip;
    if (this.placed !== moving) this.toRest();
    this.placed = moving;
    for (let n = 0; n < moving.length; n++) {
      this.bones[at(moving, n)]?.position.fromArray(positions, 3 * (shown * moving.length + n));
    }
    this.squash(clip.stretch, shown);
    this.stand();
  }

  put(pose: Posed): void {
    this.turn(pose.rotations);
    this.placed = null;
    for (const [joint, bone] of this.bones.entries()) bone.position.fromArray(pose.positions, 3 * joint);
    this.squash(null, 0);
    this.stand();
  }

  /** The whole figure, scaled about a point so that its volume stays. */
  private squash(stretch: Float32Array | null, frame: number): void {
    if (!stretch && !this.squashed) return;
    this.squashed = stretch !== null;
    const along = stretch ? at(stretch, 4 * frame) : 1;
    this.root.scale.set(1 / Math.sqrt(along), along, 1 / Math.sqrt(along));
    if (stretch) this.root.position.fromArray(stretch, 4 * frame + 1);
    else this.root.position.setScalar(0);
    this.root.position.sub(this.root.position.clone().multiply(this.root.scale));
  }

  /** Rotations of all joints, from `first` on. */
  turn(rotations: Float32Array, first = 0): void {
    for (const [joint, bone] of this.bones.entries()) bone.quaternion.fromArray(rotations, first + 4 * joint);
  }

  /** Gives it a shadow of its size; many bodies have a root that stays behind, so that joint `hips` tells where they stand. */
  shaded(height: number, hips = 0): this {
    this.hips = hips;
    this.shade.name = "shade";
    this.shade.scale.setScalar(height / 1.6);
    cast(this.root);
    this.root.add(this.shade);
    return this;
  }

  private stand(): void {
    if (!this.shade.parent) return;
    const { x, z } = this.root.worldToLocal(this.place(this.hips));
    this.shade.position.set(x, 0.002, z);
  }

  /** Where one of its joints is in the world. */
  place(joint: number): THREE.Vector3 {
    return this.bones[joint]?.getWorldPosition(new THREE.Vector3()) ?? new THREE.Vector3();
  }

  /** Where the joints are at rest below their parents, three numbers each. */
  get offsets(): Float32Array {
    return Float32Array.from(this.rest.flatMap(({ x, y, z }) => [x, y, z]));
  }

  toRest(): void {
    for (const [joint, bone] of this.bones.entries()) bone.position.copy(at(this.rest, joint));
  }

  dispose(): void {
    this.root.removeFromParent();
    this.root.traverse((object) => {
      if (object instanceof THREE.Mesh && !object.userData.shadow) {
        object.geometry.dispose();
        for (const material of [object.material].flat() as THREE.Material[]) material.dispose();
      }
    });
  }
}

function bonesOf(root: THREE.Object3D): THREE.Bone[] {
  let bones: THREE.Bone[] = [];
  root.traverse((object) => {
    if (object instanceof THREE.SkinnedMesh) {
      // A raised arm leaves the box of the rest pose; without this the figure would blink out at the picture's edge.
      object.frustumCulled = false;
      bones = object.skeleton.bones;
    }
  });
  return bones;
}
