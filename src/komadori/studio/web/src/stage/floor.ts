// The floor: lines that fade out before they end, so that it has no edge, and the shadow that a figure casts on it.

import * as THREE from "three";
import { colour } from "../theme";

/** Half the side of the plane, in metres, and metres from line to line. */
const FAR = 400;
export const CELL = 0.5;
/** Where the light is, in the camera's right, up and back, as in the films: above the left shoulder of who draws. */
const LIGHT = new THREE.Vector3(-0.45, 0.72, 0.53).normalize();

export class Floor extends THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial> {
  constructor() {
    const material = new THREE.ShaderMaterial({
      transparent: true,
      depthWrite: false,
      uniforms: {
        line: { value: new THREE.Color() },
        middle: { value: new THREE.Vector3() },
        reach: { value: 7 },
        away: { value: new THREE.Vector3() },
      },
      vertexShader: `
        uniform vec3 away;
        varying vec3 place;
        void main() {
          place = (modelMatrix * vec4(position, 1.0)).xyz;
          gl_Position = projectionMatrix * viewMatrix * vec4(place, 1.0);
        }`,
      fragmentShader: `
        uniform vec3 line;
        uniform vec3 middle;
        uniform vec3 away;
        uniform float reach;
        varying vec3 place;
        float lines(vec2 at, float thick) {
          vec2 wide = fwidth(at);
          vec2 off = abs(fract(at - 0.5) - 0.5) / max(wide, vec2(1e-6));
          vec2 seen = 1.0 - smoothstep(thick - 0.5, thick + 0.5, off);
          // Lines that are nearer to each other than a pixel would only shimmer.
          seen *= 1.0 - smoothstep(0.25, 0.6, wide);
          return max(seen.x, seen.y);
        }
        void main() {
          vec2 at = (place - away).xz / ${CELL.toFixed(2)};
          float far = length(place.xz - middle.xz) / reach;
          float cover = max(0.5 * lines(at, 0.6), lines(at / 4.0, 0.8)) * exp(-far * far);
          if (cover < 0.004) discard;
          gl_FragColor = vec4(line, cover);
          #include <colorspace_fragment>
        }`,
    });
    super(new THREE.PlaneGeometry(2 * FAR, 2 * FAR).rotateX(-Math.PI / 2), material);
    this.name = "floor";
    this.frustumCulled = false;
    this.renderOrder = -2;
    this.paint();
  }

  /** Takes the colours of the present theme. */
  paint(): void {
    this.material.uniforms.line?.value.set(colour("stage-line"));
  }

  /** The lines are seen around `middle`; `reach` is how far, in metres. */
  around(middle: THREE.Vector3, reach: number): void {
    const { uniforms } = this.material;
    uniforms.middle?.value.copy(middle);
    if (uniforms.reach) uniforms.reach.value = reach;
    uniforms.away?.value.copy(this.position);
  }
}

/** Where the light comes from when `camera` looks: never so low that shadows run away. */
export function lightOf(camera: THREE.Camera): THREE.Vector3 {
  const light = LIGHT.clone().transformDirection(camera.matrixWorld);
  light.y = Math.max(light.y, 0.5);
  return light.normalize();
}

const SHADOW = {
  light: { value: new THREE.Vector3(0, 1, 0) },
  dark: new THREE.MeshBasicMaterial({
    transparent: true,
    depthWrite: false,
    // Limbs before each other cast one shadow: every pixel is darkened once.
    stencilWrite: true,
    stencilFunc: THREE.NotEqualStencilFunc,
    stencilRef: 1,
    stencilZPass: THREE.ReplaceStencilOp,
    polygonOffset: true,
    polygonOffsetFactor: 0,
    polygonOffsetUnits: -200,
    side: THREE.DoubleSide,
  }),
};
SHADOW.dark.onBeforeCompile = (shader) => {
  shader.uniforms.castFrom = SHADOW.light;
  shader.vertexShader = shader.vertexShader.replace("void main() {", "uniform vec3 castFrom;\nvoid main() {").replace(
    "#include <project_vertex>",
    `vec4 fallen = modelMatrix * vec4(transformed, 1.0);
       fallen.xyz -= max(fallen.y, 0.0) / max(castFrom.y, 0.5) * castFrom;
       fallen.y = 0.001;
       vec4 mvPosition = viewMatrix * fallen;
       gl_Position = projectionMatrix * mvPosition;`,
  );
};

/** The light of the next picture. */
export function castFrom(light: THREE.Vector3): void {
  SHADOW.light.value.copy(light);
}

export function paintShadows(dark: boolean): void {
  SHADOW.dark.color.set(colour("stage-shadow"));
  SHADOW.dark.opacity = dark ? 0.42 : 0.26;
}

/** Gives every mesh of a figure its shadow: the same mesh, laid flat on the ground along the light. */
export function cast(root: THREE.Object3D): void {
  const meshes: THREE.Mesh[] = [];
  root.traverse((one) => {
    if (one instanceof THREE.Mesh && one.name !== "shade") meshes.push(one);
  });
  for (const mesh of meshes) {
    let shadow: THREE.Mesh;
    if (mesh instanceof THREE.SkinnedMesh) {
      const skinned = new THREE.SkinnedMesh(mesh.geometry, SHADOW.dark);
      skinned.bind(mesh.skeleton, mesh.bindMatrix);
      skinned.bindMode = mesh.bindMode;
      shadow = skinned;
    } else shadow = new THREE.Mesh(mesh.geometry, SHADOW.dark);
    shadow.position.copy(mesh.position);
    shadow.quaternion.copy(mesh.quaternion);
    shadow.scale.copy(mesh.scale);
    shadow.morphTargetInfluences = mesh.morphTargetInfluences;
    shadow.morphTargetDictionary = mesh.morphTargetDictionary;
    shadow.frustumCulled = false;
    shadow.renderOrder = -1;
    shadow.userData.shadow = true;
    mesh.parent?.add(shadow);
  }
}
