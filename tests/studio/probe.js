// What a test sees of the stage. three.js announces its scene and renderer to developer tools; this listens in their place, so
// that the page itself carries nothing for tests. The last binary message of each type is kept too.
//
// Without a graphics card one picture costs a third of a second of processor time. Unless a test looks at pixels
// (`window.pictures`), everything up to the drawing happens, and the drawing itself does not.
(() => {
  let scene = null;
  let camera = null;
  let canvas = null;
  let box = { x: 0, width: 0 };
  const heard = {};

  window.__THREE_DEVTOOLS__ = new EventTarget();
  window.__THREE_DEVTOOLS__.addEventListener("observe", ({ detail }) => {
    if (detail.isScene) scene ??= detail;
    if (!detail.isWebGLRenderer) return;
    const render = detail.render.bind(detail);
    canvas = detail.domElement;
    detail.render = (what, seenFrom) => {
      if (window.pictures) render(what, seenFrom);
      else {
        what.updateMatrixWorld();
        if (seenFrom.parent === null) seenFrom.updateMatrixWorld();
      }
      camera = seenFrom;
      detail.getViewport({ copy: ({ x, z }) => { box = { x, width: z }; } });
    };
  });

  const Native = window.WebSocket;
  window.WebSocket = class extends Native {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", ({ data }) => {
        if (!(data instanceof ArrayBuffer)) return;
        const length = new DataView(data).getUint32(0, true);
        const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
        heard[header.type] = header;
      });
    }
  };

  /** Where a thing of the scene is seen on the page, in pixels. */
  const seenAt = (object) => {
    object.updateWorldMatrix(true, false);
    camera.updateMatrixWorld();
    const at = object.position.clone().setFromMatrixPosition(object.matrixWorld).project(camera);
    const { left, top, height } = canvas.getBoundingClientRect();
    return [left + box.x + ((at.x + 1) / 2) * box.width, top + ((1 - at.y) / 2) * height];
  };

  const bones = (root) => {
    let found = [];
    scene?.getObjectByName(root)?.traverse((one) => { if (one.isSkinnedMesh) found = one.skeleton.bones; });
    return found;
  };

  window.probe = {
    heard,
    bones,
    /** Things of the stage that have a name and can be seen -> where. */
    spots: () => {
      const found = {};
      if (camera) scene.traverseVisible((one) => { if (one.isMesh && !one.isSkinnedMesh && one.name) found[one.name] = seenAt(one).map(Math.round); });
      return found;
    },
    /** How wide a ball of the stage is seen, in pixels. */
    wide: (ball) => {
      const { height } = canvas.getBoundingClientRect();
      ball.updateWorldMatrix(true, false);
      const away = ball.position.clone().setFromMatrixPosition(ball.matrixWorld).distanceTo(camera.position);
      const radius = ball.position.clone().setFromMatrixScale(ball.matrixWorld).x * ball.geometry.parameters.radius;
      return (radius * height) / (away * Math.tan((camera.fov * Math.PI) / 360));
    },
    joints: (root, chosen) => (camera && bones(root).length ? chosen.map((joint) => seenAt(bones(root)[joint])) : []),
    /** Where all joints of a figure are in the world. */
    world: (root) => bones(root).map((bone) => { bone.updateWorldMatrix(true, false); return [...bone.matrixWorld.elements].slice(12, 15); }),
    each: (run) => scene?.traverseVisible(run),
    has: (name) => Boolean(scene?.getObjectByName(name)),
  };
})();
