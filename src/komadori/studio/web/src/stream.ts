// The line to the live stage: what is asked and told, and poses between them.

import { unpackedAs } from "./binary";
import type { LiveArrays, LiveAsk, LiveTell } from "./generated";

/** Opens when it is first used; what is asked before waits. */
export class Stream {
  private socket: WebSocket | null = null;
  private waiting: LiveAsk[] = [];
  private readonly hearing: ((told: LiveTell) => void)[] = [];
  posed: (pose: LiveArrays) => void = () => {};
  closed: () => void = () => {};

  constructor(private readonly token: string) {}

  on(hear: (told: LiveTell) => void): void {
    this.hearing.push(hear);
  }

  ask(message: LiveAsk): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    else {
      this.waiting.push(message);
      if (!this.socket) this.open();
    }
  }

  private open(): void {
    const socket = new WebSocket(`ws://${location.host}/stream?token=${encodeURIComponent(this.token)}`);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      for (const message of this.waiting.splice(0)) socket.send(JSON.stringify(message));
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      if (typeof event.data === "string") {
        const told = JSON.parse(event.data) as LiveTell;
        for (const hear of this.hearing) hear(told);
      } else {
        this.posed(unpackedAs("live_pose", event.data));
      }
    };
    socket.onclose = () => {
      this.socket = null;
      this.closed();
    };
  }
}
