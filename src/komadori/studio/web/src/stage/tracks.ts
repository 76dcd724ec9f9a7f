// Where joints are over time: forward kinematics of a few joints over many frames, without posing any figure.

import type { Clip } from "./actor";

/** Places of a joint at `frames`, three numbers each, before what the figure's root does. `rest` (J x 3) are the joints' own offsets. */
export function trackOf(
  clip: Pick<Clip, "joints" | "rotations" | "moving" | "positions" | "frames">,
  parents: number[],
  rest: Float32Array,
  joint: number,
  frames: number[],
): Float32Array {
  const way: number[] = [];
  for (let one = joint; one >= 0; one = parents[one] ?? -1) way.unshift(one);
  const column = new Map([...clip.moving].map((moved, n) => [moved, n]));
  const places = new Float32Array(3 * frames.length);
  frames.forEach((asked, n) => {
    const frame = Math.max(0, Math.min(clip.frames - 1, asked));
    let [qx, qy, qz, qw] = [0, 0, 0, 1];
    let [x, y, z] = [0, 0, 0];
    for (const one of way) {
      const moved = column.get(one);
      const from = moved === undefined ? rest : clip.positions;
      const first = moved === undefined ? 3 * one : 3 * (frame * clip.moving.length + moved);
      const [ox, oy, oz] = [from[first] ?? 0, from[first + 1] ?? 0, from[first + 2] ?? 0];
      // The offset turned by what is above it: v + 2 q x (q x v + w v).
      const [cx, cy, cz] = [qy * oz - qz * oy + qw * ox, qz * ox - qx * oz + qw * oy, qx * oy - qy * ox + qw * oz];
      x += ox + 2 * (qy * cz - qz * cy);
      y += oy + 2 * (qz * cx - qx * cz);
      z += oz + 2 * (qx * cy - qy * cx);
      const r = 4 * (frame * clip.joints + one);
      const [rx, ry, rz, rw] = [clip.rotations[r] ?? 0, clip.rotations[r + 1] ?? 0, clip.rotations[r + 2] ?? 0, clip.rotations[r + 3] ?? 1];
      [qx, qy, qz, qw] = [
        qw * rx + qx * rw + qy * rz - qz * ry,
        qw * ry - qx * rz + qy * rw + qz * rx,
        qw * rz + qx * ry - qy * rx + qz * rw,
        qw * rw - qx * rx - qy * ry - qz * rz,
      ];
    }
    places.set([x, y, z], 3 * n);
  });
  return places;
}
