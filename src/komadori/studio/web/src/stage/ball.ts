// A ball in space with its shadow on the ground: the puppet's handle, and its keys.

import * as THREE from "three";

export class Ball {
  readonly ball: THREE.Mesh<THREE.SphereGeometry, THREE.MeshLambertMaterial>;
  readonly shadow: THREE.Mesh<THREE.CircleGeometry, THREE.MeshBasicMaterial>;
  private readonly rim: THREE.Mesh;
  private readonly stalk = new THREE.Line(
    new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3(0, 1, 0)]),
    new THREE.LineBasicMaterial({ color: 0x8b8598, transparent: true, opacity: 0.5 }),
  );

  constructor(
    group: THREE.Object3D,
    name: string,
    readonly radius: number,
    colour: THREE.ColorRepresentation,
  ) {
    const sphere = new THREE.SphereGeometry(radius, 24, 16);
    this.ball = new THREE.Mesh(sphere, new THREE.MeshLambertMaterial({ color: colour, emissive: colour, emissiveIntensity: 0.35 }));
    this.rim = new THREE.Mesh(sphere, new THREE.MeshBasicMaterial({ color: 0x2b2733, side: THREE.BackSide }));
    this.rim.scale.setScalar(1.09);
    this.ball.add(this.rim);
    this.shadow = new THREE.Mesh(
      new THREE.CircleGeometry(1.15 * radius, 28).rotateX(-Math.PI / 2),
      new THREE.MeshBasicMaterial({ color: colour, transparent: true, opacity: 0.55, depthWrite: false }),
    );
    this.ball.name = name;
    this.shadow.name = `${name} shadow`;
    group.add(this.ball, this.shadow, this.stalk);
  }

  put(place: readonly [number, number, number], ground: number): void {
    const [x, y, z] = place;
    this.ball.position.set(x, y, z);
    this.shadow.position.set(x, ground + 0.004, z);
    this.stalk.position.set(x, ground, z);
    this.stalk.scale.set(1, Math.max(y - ground, 1e-6), 1);
  }

  colour(colour: THREE.Color): void {
    this.ball.material.color.copy(colour);
    this.ball.material.emissive.copy(colour);
    this.shadow.material.color.copy(colour);
  }

  dispose(): void {
    for (const one of [this.ball, this.shadow, this.stalk]) one.removeFromParent();
    for (const one of [this.ball, this.shadow, this.stalk, this.rim]) {
      one.geometry.dispose();
      (one.material as THREE.Material).dispose();
    }
  }
}
