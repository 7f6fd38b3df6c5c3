// Browsers start no worker from a file. Pages that are opened from a folder run the search in a hidden frame instead.
// The name of this file tells the offline plugin that it need not fetch such a script from the network.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      const inside = frame.contentWindow;
      this.inside = inside;
      window.addEventListener("message", (event) => {
        if (event.source === inside) this.dispatchEvent(new MessageEvent("message", { data: event.data }));
      });
      const answer = "postMessage = (data) => parent.postMessage(data, '*');";
      const load = `importScripts = (...urls) => urls.reduce((before, url) => before.then(() => new Promise((done) => {
        const script = document.createElement("script");
        script.src = url;
        script.onload = done;
        document.body.appendChild(script);
      })), Promise.resolve());`;
      inside.document.open();
      inside.document.write(`<body><script>${answer}${load}<\/script><script src="${url}"><\/script></body>`);
      inside.document.close();
      this.ready = new Promise((done) => { inside.onload = done; }); // opening the document would forget it
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
