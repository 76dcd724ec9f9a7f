// Where three-vrm puts an avatar's bones when it is given a pose as VMC carries it. Arguments: avatar.vrm, pose.json.
// The pose is {bone of Unity: [x, y, z, qx, qy, qz, qw]}, left-handed, as it came over the network. Prints JSON: version, bones {name: [x, y, z]}.
//
// To be fed to node on its standard input, so that its modules are looked for in the working directory.

import { readFileSync } from "node:fs";
import * as THREE from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { VRMLoaderPlugin } from "@pixiv/three-vrm";

globalThis.self ??= globalThis;
console.warn = () => {};
const noPictures = (parser) => {
  parser.loadTexture = async () => new THREE.Texture();
  parser.loadTextureImage = async () => new THREE.Texture();
  return { name: "no-pictures" };
};

const [avatarPath, posePath] = process.argv.slice(2);
const loader = new GLTFLoader();
loader.register(noPictures);
loader.register((parser) => new VRMLoaderPlugin(parser));
const bytes = readFileSync(avatarPath);
const gltf = await loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "");
const vrm = gltf.userData.vrm;
const old = vrm.meta.metaVersion === "0";

// UniVRM imports VRM 0.x by changing the sign of z and VRM 1.0 by that of x; this is the way back.
const turn = ([x, y, z, w]) => (old ? [-x, -y, z, w] : [x, -y, -z, w]);
const place = ([x, y, z]) => (old ? [x, y, -z] : [-x, y, z]);
// Unity's thumbs are named one joint further out than VRM 1.0's.
const thumbs = { ThumbProximal: "ThumbMetacarpal", ThumbIntermediate: "ThumbProximal" };
const named = (bone) => {
  const name = bone[0].toLowerCase() + bone.slice(1);
  const thumb = Object.keys(thumbs).find((one) => name.endsWith(one));
  return thumb ? name.replace(thumb, thumbs[thumb]) : name;
};

const pose = {};
for (const [bone, numbers] of Object.entries(JSON.parse(readFileSync(posePath, "utf8")))) {
  pose[named(bone)] = { rotation: turn(numbers.slice(3)), ...(bone === "Hips" ? { position: place(numbers) } : {}) };
}
for (const [bone, { rotation, position }] of Object.entries(pose)) {
  const node = vrm.humanoid.getNormalizedBoneNode(bone);
  if (!node) continue;
  node.quaternion.fromArray(rotation);
  if (position) node.position.fromArray(position);
}
vrm.humanoid.update();
vrm.scene.updateMatrixWorld(true);
const bones = {};
for (const name of Object.keys(vrm.humanoid.humanBones)) {
  const node = vrm.humanoid.getRawBoneNode(name);
  if (node) bones[name] = node.getWorldPosition(new THREE.Vector3()).toArray();
}
console.log(JSON.stringify({ version: vrm.meta.metaVersion, bones }));
