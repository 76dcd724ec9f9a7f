// The live line to the server, and what is fetched from it. The token stands in the page's address.

import { packedHand, unpacked } from "./binary";
import { Told } from "./changes";
import type { Arrays, Ask, Dropped, ErrorMessage, Formats, HandInput, MethodItem, Methods, ProjectList, Shelf, Tell } from "./generated";
import { state, tell, trouble } from "./state";
import { isEdit, Unsaved } from "./unsaved";
import { t } from "./words";

export const token = new URLSearchParams(location.search).get("token") ?? "";

const SOON_MS = 250;
const LATEST_MS = 3000;

export class Connection {
  private socket: WebSocket | null = null;
  private tries = 0;
  private session = "";
  private told = new Told();
  /** Whether the scene has come over this line: before, nothing of the last line is said again. */
  private met = false;
  private readonly unsaved = new Unsaved();

  constructor(
    private readonly hear: (message: Tell) => void,
    private readonly brought: (arrays: Arrays) => void,
    private readonly connected: (open: boolean) => void,
  ) {
    this.open();
  }

  ask(message: Ask): void {
    if (this.socket?.readyState === WebSocket.OPEN && this.met) this.send(message);
    else if (this.socket?.readyState === WebSocket.OPEN && !isEdit(message)) this.send(message);
    else if (isEdit(message) && !this.unsaved.waits(message))
      trouble(t("not done: the connection is lost; do it again when it is back"), "connection");
    this.count();
  }

  /** Where the hand is: of use only now, so that nothing waits for a line that is not open. */
  feel(input: HandInput): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(packedHand(input));
  }

  private send(message: Ask): void {
    this.unsaved.goes(message);
    this.socket?.send(JSON.stringify(message));
  }

  private open(): void {
    const socket = new WebSocket(`ws://${location.host}/live?token=${encodeURIComponent(token)}`);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.told = new Told();
    this.met = false;
    socket.onopen = () => {
      this.tries = 0;
      this.unsaved.opened();
      this.connected(true);
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      if (typeof event.data !== "string") this.brought(unpacked(event.data));
      else {
        const message = this.told.message(JSON.parse(event.data) as Tell);
        if (message) this.heard(message);
      }
    };
    socket.onclose = () => {
      this.connected(false);
      this.tries += 1;
      setTimeout(() => this.open(), Math.min(SOON_MS * this.tries, LATEST_MS));
    };
  }

  private heard(message: Tell): void {
    if (message.type === "scene") {
      if (!this.met) this.meet(message.session);
      this.unsaved.answered(message.heard);
    }
    if (message.type === "saved" && this.met) this.unsaved.safe(message.heard);
    this.count();
    this.hear(message);
  }

  /** The first scene over a line: what the last one did not bring to the disk is said again. */
  private meet(session: string): void {
    const { asks, lost } = this.unsaved.again(session === this.session);
    if (lost) trouble(t("the studio restarted before the last edit was saved; check whether it is still there"), "connection");
    this.session = session;
    this.met = true;
    for (const message of asks) this.send(message);
  }

  private count(): void {
    const { unheard, waiting } = this.unsaved;
    if (unheard === state.unheard && waiting === state.waiting) return;
    state.unheard = unheard;
    state.waiting = waiting;
    tell("connection");
  }
}

async function answered(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, { ...init, headers: { "X-Komadori-Token": token } });
  if (!response.ok) {
    const said = (await response.json().catch(() => ({}))) as Partial<ErrorMessage>;
    throw new Error((state.language === "ja" && said.ja) || said.message || `${path}: ${response.status}`);
  }
  return response;
}

export async function bytes(path: string): Promise<ArrayBuffer> {
  return (await answered(path)).arrayBuffer();
}

export async function shelf(): Promise<Shelf> {
  return (await answered("api/shelf")).json() as Promise<Shelf>;
}

export async function projects(): Promise<ProjectList> {
  return (await answered("api/projects")).json() as Promise<ProjectList>;
}

export async function formats(): Promise<Formats> {
  return (await answered("api/formats")).json() as Promise<Formats>;
}

/** The methods that have a tab. */
export async function methods(): Promise<MethodItem[]> {
  return ((await (await answered("api/methods")).json()) as Methods).items;
}

/** Sends files that belong together (a model and its textures) in one piece. */
export async function drop(files: { name: string; file: File }[], part: string): Promise<Dropped> {
  const header = new TextEncoder().encode(JSON.stringify({ files: files.map(({ name, file }) => ({ name, size: file.size })) }));
  const size = new Uint8Array(4);
  new DataView(size.buffer).setUint32(0, header.length, true);
  const body = new Blob([size, header, ...files.map(({ file }) => file)]);
  return (await answered(`api/drop?part=${encodeURIComponent(part)}`, { method: "POST", body })).json() as Promise<Dropped>;
}

/** Where a sound, a film or a still is fetched or played from. */
export function mediaAddress(key: string): string {
  return `api/media?key=${encodeURIComponent(key)}&token=${encodeURIComponent(token)}`;
}
