/** After a touch, its click may come so much later. */
const TOUCH_MS = 400;

let released = Promise.resolve();
let release = () => {};
const onDown = ({ button }: PointerEvent) => {
  release();
  if (button === 0) released = new Promise((resolve) => (release = resolve));
};
const onUp = ({ pointerType }: PointerEvent) => setTimeout(release, pointerType === 'mouse' ? 0 : TOUCH_MS);
addEventListener('pointerdown', onDown, true);
addEventListener('pointerup', onUp, true);
for (const type of ['pointercancel', 'blur']) addEventListener(type, () => release(), true);

/** Between press and release nothing may move or be replaced: the click would be for what is there then, or lost. */
export function whenReleased(): Promise<void> {
  return released;
}
