/**
 * Faults of the shown view for people who use a keyboard, a screen reader, a phone or low vision. The names and roles are those of
 * Chromium's own accessibility tree. Sources of the rules: WCAG 2.2, by number.
 */
import type { CDPSession, Page } from 'playwright-core';

/** Roles whose nodes must have a name (4.1.2, 1.3.1). */
const NAMED = [
  ...['button', 'link', 'textbox', 'combobox', 'checkbox', 'DisclosureTriangle'],
  ...['heading', 'image', 'table', 'navigation', 'region'],
];
/** An owner of many must find each by its name alone (2.4.4, 2.4.6). */
const UNIQUE = ['button', 'link', 'textbox', 'combobox', 'checkbox', 'DisclosureTriangle', 'region', 'navigation'];

interface TreeNode {
  readonly ignored: boolean;
  readonly role?: { readonly value?: unknown };
  readonly name?: { readonly value?: unknown };
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value?: unknown } }[];
}

export async function accessibilityFaults(page: Page, devTools: CDPSession): Promise<readonly string[]> {
  const { nodes } = await devTools.send('Accessibility.getFullAXTree');
  const shown = (nodes as readonly TreeNode[]).filter(({ ignored }) => !ignored);
  return [...treeFaults(shown), ...(await page.evaluate(documentFaults)), ...(await keyboardFaults(page))];
}

function treeFaults(nodes: readonly TreeNode[]): readonly string[] {
  const ofRole = (role: string) => nodes.filter((node) => node.role?.value === role);
  const nameOf = ({ name }: TreeNode) => String(name?.value ?? '').trim();
  const faults: string[] = [];
  for (const role of NAMED) if (ofRole(role).some((node) => nameOf(node) === '')) faults.push(`a ${role} without a name`);
  for (const role of UNIQUE) {
    const names = ofRole(role).map(nameOf);
    for (const name of new Set(names.filter((it, index) => names.indexOf(it) !== index)))
      faults.push(`two ${role}s named ${name}`);
  }
  for (const role of ['main', 'banner', 'contentinfo'])
    if (ofRole(role).length !== 1) faults.push(`${ofRole(role).length} landmarks of ${role}`);
  return [...faults, ...headingFaults(ofRole('heading').map(levelOf))];
}

function levelOf({ properties = [] }: TreeNode): number {
  return Number(properties.find(({ name }) => name === 'level')?.value.value);
}

/** One title, and no level is skipped (1.3.1). */
function headingFaults(levels: readonly number[]): readonly string[] {
  const isSkipping = levels.some((level, index) => level > (levels[index - 1] ?? 0) + 1);
  const titles = levels.filter((level) => level === 1).length;
  return [...(titles === 1 ? [] : [`${titles} titles`]), ...(isSkipping ? [`headings skip a level: ${levels}`] : [])];
}

/** Runs in the page: contrast (1.4.3), sizes of targets (2.5.8), reflow (1.4.10), labels, ids, language. */
function documentFaults(): string[] {
  const faults: string[] = [];
  const isVisible = (element: Element) => element.checkVisibility() && element.getClientRects().length > 0;
  const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color: readonly number[]) => {
    const [red = 0, green = 0, blue = 0] = color.map((it) =>
      it / 255 <= 0.04045 ? it / 255 / 12.92 : ((it / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const groundOf = (element: Element | null): number[] => {
    if (element === null) return [255, 255, 255];
    const ground = channels(getComputedStyle(element).backgroundColor);
    return ground[3] === 0 ? groundOf(element.parentElement) : ground;
  };
  const contrast = (element: Element) => {
    const { color, fill } = getComputedStyle(element);
    const [light = 0, dark = 0] = [channels(element instanceof SVGElement ? fill : color), groundOf(element)]
      .map((it) => luminance(it.slice(0, 3)))
      .sort((left, right) => right - left);
    return (light + 0.05) / (dark + 0.05);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const element = node.parentElement!;
    if (node.textContent?.trim() === '' || !isVisible(element)) continue;
    if (contrast(element) < 4.5) faults.push(`contrast ${contrast(element).toFixed(2)} of “${node.textContent?.trim()}”`);
  }
  for (const target of document.querySelectorAll('button, input, select, textarea, summary, nav a')) {
    const { width, height } = target.getBoundingClientRect();
    if (isVisible(target) && (width < 24 || height < 24)) faults.push(`a target of ${width} × ${height}: ${target.outerHTML}`);
  }
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  for (const id of ids.filter((it, index) => ids.indexOf(it) !== index)) faults.push(`two elements with the id ${id}`);
  for (const reference of document.querySelectorAll('[aria-describedby], [aria-labelledby]'))
    for (const name of ['aria-describedby', 'aria-labelledby'])
      for (const id of (reference.getAttribute(name) ?? '').split(' ').filter(Boolean))
        if (!ids.includes(id)) faults.push(`${name} names ${id}, which does not exist`);
  for (const input of document.querySelectorAll<HTMLInputElement>('input, select, textarea'))
    if (input.labels?.length !== 1) faults.push(`${input.id} has no label`);
  if (document.querySelector('[tabindex]:not([tabindex="-1"], [tabindex="0"])')) faults.push('a tabindex that changes the order');
  if (document.documentElement.lang === '') faults.push('no language');
  const overflow = document.documentElement.scrollWidth - innerWidth;
  if (overflow > 0) faults.push(`the page is ${overflow} px wider than the screen`);
  return faults;
}

/** Tab reaches every control once, in the order of the document, and the focus is visible (2.1.1, 2.4.3, 2.4.7). */
async function keyboardFaults(page: Page): Promise<readonly string[]> {
  const focusedBefore = await page.evaluate(() => document.activeElement?.id ?? '');
  const controls = await page.evaluate(() => {
    const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary')];
    const reachable = all.filter((it) => it.checkVisibility() && it.getClientRects().length > 0);
    for (const [index, it] of reachable.entries()) it.setAttribute('data-stop', `${index} ${it.textContent.trim()}${it.id}`);
    return reachable.map((it) => it.getAttribute('data-stop')!);
  });
  const visited: string[] = [];
  const faults: string[] = [];
  // One stop may be the browser itself.
  for (let stops = 0; stops <= controls.length; stops += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement!);
      const stop = document.activeElement?.getAttribute('data-stop') ?? undefined;
      return { stop, hasOutline: outlineStyle !== 'none' && outlineWidth !== '0px' };
    });
    if (focused.stop === undefined || visited.includes(focused.stop)) continue;
    visited.push(focused.stop);
    if (!focused.hasOutline) faults.push(`no visible focus on ${focused.stop}`);
  }
  await page.evaluate((id) => document.getElementById(id)?.focus(), focusedBefore);
  const start = visited.indexOf(controls[0]!);
  const inOrder = [...visited.slice(start), ...visited.slice(0, start)];
  if (inOrder.join() !== controls.join()) faults.push(`Tab visits ${inOrder.join(', ')} instead of ${controls.join(', ')}`);
  return faults;
}
