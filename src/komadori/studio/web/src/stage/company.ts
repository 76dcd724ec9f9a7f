// The company: other characters on the puppet's handle, side by side with the first.

import type * as THREE from "three";
import { at } from "../arrays";
import { unpackedAs } from "../binary";
import { bytes } from "../connection";
import type { MemberInfo, PoseArrays } from "../generated";
import { on, state, trouble } from "../state";
import { Actor, Clip, type Posed } from "./actor";

interface Member {
  told: MemberInfo;
  actor: Actor;
  clip: Clip | null;
}

/** How far apart they stand, in heights of the taller of two. */
const APART = 0.62;

export class Company {
  private members: Member[] = [];
  private live: Posed[] = [];
  private loading = 0;

  constructor(
    private readonly scene: THREE.Scene,
    private readonly draw: () => void,
  ) {
    on(["answer", "body", "part"], () => void this.renew());
  }

  /** What the handle in hand makes of them: the joints of one after another. */
  brought({ turns, places }: PoseArrays): void {
    const total = this.members.reduce((sum, { told }) => sum + told.joints, 0);
    if (!turns || !places || turns.shape[0] !== total) {
      this.live = [];
      return;
    }
    let first = 0;
    this.live = this.members.map(({ told: { joints } }) => {
      const begin = first;
      first += joints;
      return {
        rotations: turns.data.subarray(4 * begin, 4 * first),
        positions: places.data.subarray(3 * begin, 3 * first),
      };
    });
  }

  /** `inHand`: the handle is, so that the newest answer counts and not the clip. */
  pose(frame: number, inHand: boolean): void {
    this.members.forEach(({ actor, clip }, n) => {
      const live = inHand ? this.live[n] : undefined;
      if (live) actor.put(live);
      else if (clip && !inHand) actor.show(clip, frame);
      actor.root.position.set(this.place(n), 0, 0);
    });
  }

  visible(yes: boolean): void {
    for (const { actor } of this.members) actor.root.visible = yes && state.part === "puppet";
  }

  /** Right and left of the first in turn, so that they stand in a row. */
  private place(n: number): number {
    const side = n % 2 ? 1 : -1;
    let far = 0;
    let before = state.body?.height ?? 1;
    for (let other = n % 2; other <= n; other += 2) {
      const { height } = at(this.members, other).told;
      far += APART * Math.max(before, height);
      before = height;
    }
    return side * far;
  }

  private async renew(): Promise<void> {
    const told = state.part === "puppet" ? (state.puppet?.together ?? []) : this.members.map((member) => member.told);
    const same = (one: MemberInfo | undefined, other: MemberInfo) => one?.figure === other.figure && one.motion === other.motion;
    if (told.length === this.members.length && told.every((one, n) => same(this.members[n]?.told, one))) return;
    const turn = ++this.loading;
    try {
      const kept = [...this.members];
      const fresh = await Promise.all(told.map((one) => this.made(one, kept)));
      if (turn !== this.loading) {
        for (const { actor } of fresh) if (!this.members.some((member) => member.actor === actor)) actor.dispose();
        return;
      }
      for (const { actor } of this.members) if (!fresh.some((member) => member.actor === actor)) actor.dispose();
      this.members = fresh;
      this.live = [];
      for (const { actor } of fresh) this.scene.add(actor.root);
      this.draw();
    } catch (error) {
      trouble((error as Error).message, "puppet");
    }
  }

  /** A member with the figure that it has already, if there is one. */
  private async made(told: MemberInfo, kept: Member[]): Promise<Member> {
    const found = kept.findIndex((member) => member.told.figure === told.figure);
    const [old] = found < 0 ? [] : kept.splice(found, 1);
    const [actor, clip] = await Promise.all([
      old ? old.actor : bytes(told.figure).then((glb) => Actor.load(glb)),
      told.motion ? bytes(told.motion).then((sent) => new Clip(unpackedAs("motion", sent))) : null,
    ]);
    if (!old) {
      actor.shaded(told.height);
      actor.root.visible = false;
    }
    actor.root.name = `with ${told.name}`;
    return { told, actor, clip };
  }
}
