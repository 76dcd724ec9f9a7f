// A page opened from a folder may not start a Worker, and the site's search is one. Here it runs in a hidden frame instead.
if (location.protocol === "file:") {
  class FrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      this.inside = frame.contentWindow;
      this.inside.answer = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.inside.ready = () => {
        const waiting = this.waiting;
        this.waiting = null;
        for (const data of waiting) this.deliver(data);
      };
      const scripts = `
        postMessage = (data) => answer(data);
        importScripts = (...urls) => urls.reduce((before, url) => before.then(() => new Promise((done, failed) => {
          const script = document.createElement("script");
          script.src = url;
          script.onload = done;
          script.onerror = failed;
          document.body.appendChild(script);
        })), Promise.resolve());`;
      const page = this.inside.document;
      page.open();
      page.write(`<body><script>${scripts}</scr` + `ipt><script src="${url}" onload="ready()"></scr` + "ipt></body>");
      page.close();
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.deliver(data);
    }

    deliver(data) {
      this.inside.dispatchEvent(new MessageEvent("message", { data }));
    }

    terminate() {}
  }
  window.IFrameWorker = FrameWorker;
  window.Worker = FrameWorker;
}
