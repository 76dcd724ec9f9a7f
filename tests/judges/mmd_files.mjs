// Reads MikuMikuDance files with mmd-parser. Arguments: pmx or vmd, then a file. Prints JSON: what it found there.
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import path from "node:path";

// The modules stand beside the working directory's package.json, not beside this file.
const { Parser } = createRequire(path.join(process.cwd(), "package.json"))("mmd-parser");

const [kind, file] = process.argv.slice(2);
const bytes = await readFile(file);
const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
const parser = new Parser();
if (kind === "pmx") {
  const { metadata, bones, vertices, faces, morphs, rigidBodies, constraints, materials } = parser.parsePmx(buffer, true);
  console.log(
    JSON.stringify({
      name: metadata.modelName,
      counts: {
        vertices: vertices.length,
        triangles: faces.length,
        morphs: morphs.length,
        bodies: rigidBodies.length,
        joints: constraints.length,
        materials: materials.length,
      },
      bones: bones.map(({ name, parentIndex, position }) => ({ name, parent: parentIndex, position })),
      vertices: vertices.map(({ position, normal, uv, skinIndices, skinWeights }) => ({
        position,
        normal,
        uv,
        bones: skinIndices,
        weights: skinWeights,
      })),
      faces: faces.map(({ indices }) => indices),
    }),
  );
} else {
  const { metadata, motions, morphs } = parser.parseVmd(buffer);
  console.log(
    JSON.stringify({
      name: metadata.name,
      counts: { bones: metadata.motionCount, morphs: metadata.morphCount, cameras: metadata.cameraCount },
      bones: motions.map(({ boneName, frameNum, position, rotation, interpolation }) => ({
        name: boneName,
        frame: frameNum,
        position,
        rotation,
        curves: interpolation,
      })),
      morphs: morphs.map(({ morphName, frameNum, weight }) => ({ name: morphName, frame: frameNum, weight })),
    }),
  );
}
