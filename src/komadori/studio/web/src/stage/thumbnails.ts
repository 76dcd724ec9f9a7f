// Small pictures of poses, taken by the stage itself, one before each of its own pictures.

import * as THREE from "three";
import { h } from "../dom";
import { on, state } from "../state";
import type { Stage } from "./stage";

const WIDTH = 52;
const HEIGHT = 72;
const RATIO = 2;

export class PosePictures {
  private readonly pictures = new Map<number, HTMLCanvasElement>();
  private wanted: number[] = [];
  private readonly camera = new THREE.PerspectiveCamera(30, WIDTH / HEIGHT, 0.01, 500);

  constructor(
    private readonly stage: Stage,
    active: () => boolean,
  ) {
    stage.each(() => active() && this.take());
    on(["body"], () => {
      this.pictures.clear();
      this.wanted = [];
    });
  }

  /** The picture of the clip's pose at a frame: empty at first, drawn as soon as the stage comes to it. */
  of(frame: number): HTMLCanvasElement {
    let picture = this.pictures.get(frame);
    if (!picture) {
      picture = h("canvas", { width: RATIO * WIDTH, height: RATIO * HEIGHT, class: "pose", "aria-hidden": "true" });
      this.pictures.set(frame, picture);
      this.wanted.push(frame);
    }
    return picture;
  }

  /** Takes the next picture; the stage then draws itself over it. */
  private take(): boolean {
    const { result: actor, clip, renderer, scene } = this.stage;
    const body = state.body;
    const [root] = actor?.bones ?? [];
    const [frame] = this.wanted;
    if (
      frame === undefined ||
      !root ||
      !actor ||
      !clip ||
      !body ||
      actor.bones.length !== body.joints.length ||
      clip.frames !== body.frames
    )
      return false;
    this.wanted.shift();
    const pen = this.pictures.get(frame)?.getContext("2d");
    if (!pen) return false;
    actor.show(clip, frame);
    this.stage.alone();
    this.look(root, body.height);
    const canvas = renderer.domElement;
    const ratio = renderer.getPixelRatio();
    renderer.setViewport(0, 0, (WIDTH * RATIO) / ratio, (HEIGHT * RATIO) / ratio);
    renderer.setScissor(0, 0, (WIDTH * RATIO) / ratio, (HEIGHT * RATIO) / ratio);
    renderer.render(scene, this.camera);
    pen.drawImage(canvas, 0, canvas.height - RATIO * HEIGHT, RATIO * WIDTH, RATIO * HEIGHT, 0, 0, RATIO * WIDTH, RATIO * HEIGHT);
    return true;
  }

  /** From where the stage looks, with the whole body in the picture. */
  private look(root: THREE.Bone, height: number): void {
    const { camera, controls } = this.stage;
    root.updateWorldMatrix(true, false);
    const middle = new THREE.Vector3().setFromMatrixPosition(root.matrixWorld);
    const away = camera.position.clone().sub(controls.target).normalize();
    this.camera.position.copy(middle).addScaledVector(away, (0.58 * height) / Math.tan(THREE.MathUtils.degToRad(15)));
    this.camera.lookAt(middle);
  }
}
