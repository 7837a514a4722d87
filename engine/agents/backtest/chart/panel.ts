/** A panel of a chart: a plot area with a grid, values on its right side, and lines over time. */
import { roundValues } from './axes.ts';
import { element, escapeXml, pixels } from './xml.ts';

export interface Area {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export interface TimedValue {
  readonly epochMs: number;
  readonly value: number;
}

const TEXT_DROP = 4;
const LABEL_GAP = 8;

export class Panel {
  readonly #area: Area;
  readonly #times: readonly [first: number, last: number];
  readonly #values: readonly [lowest: number, highest: number];

  /** @param values all values that the panel shows: they set its range */
  constructor(area: Area, times: readonly [first: number, last: number], values: readonly number[]) {
    this.#area = area;
    this.#times = times;
    let [lowest, highest] = [values[0] ?? 0, values[0] ?? 0];
    for (const value of values) {
      lowest = Math.min(lowest, value);
      highest = Math.max(highest, value);
    }
    // A range of nothing is drawn in the middle.
    this.#values = lowest === highest ? [lowest - 1, highest + 1] : [lowest, highest];
  }

  x(epochMs: number): number {
    const [first, last] = this.#times;
    const { left, right } = this.#area;
    return first === last ? (left + right) / 2 : left + ((epochMs - first) / (last - first)) * (right - left);
  }

  y(value: number): number {
    const [lowest, highest] = this.#values;
    const { top, bottom } = this.#area;
    return bottom - ((value - lowest) / (highest - lowest)) * (bottom - top);
  }

  /** Horizontal lines at round values, with their labels. */
  grid(maxLines: number, labelOf: (value: number) => string): string[] {
    const { left, right } = this.#area;
    return roundValues(...this.#values, maxLines).flatMap((value) => {
      const y = this.y(value);
      return [
        element('line', { class: value === 0 ? 'zero' : 'grid', x1: left, x2: right, y1: pixels(y), y2: pixels(y) }),
        element('text', { class: 'label', x: right + LABEL_GAP, y: pixels(y + TEXT_DROP) }, escapeXml(labelOf(value))),
      ];
    });
  }

  /**
   * A line through the values, interrupted where more than `maxDistanceMs` has none. Of the values in one pixel it draws the first, lowest,
   * highest and last, which looks the same and bounds the size of the chart.
   */
  line(name: string, values: readonly TimedValue[], maxDistanceMs: number): string {
    let path = '';
    let previous: TimedValue | undefined;
    let group: TimedValue[] = [];
    const draw = () => {
      path += extremesOf(group)
        .map(({ epochMs, value }) => `${pixels(this.x(epochMs))} ${pixels(this.y(value))}`)
        .join('L');
      group = [];
    };
    for (const point of values) {
      const isJoined = previous !== undefined && point.epochMs - previous.epochMs <= maxDistanceMs;
      const isSamePixel = isJoined && Math.floor(this.x(previous!.epochMs)) === Math.floor(this.x(point.epochMs));
      if (!isSamePixel) {
        draw();
        path += isJoined ? 'L' : 'M';
      }
      group.push(point);
      previous = point;
    }
    draw();
    return element('path', { class: name, d: path });
  }
}

/** The first, lowest, highest and last value in their order. */
function extremesOf(group: readonly TimedValue[]): readonly TimedValue[] {
  if (group.length <= 4) return group;
  let [lowest, highest] = [0, 0];
  for (const [index, { value }] of group.entries()) {
    if (value < group[lowest]!.value) lowest = index;
    if (value > group[highest]!.value) highest = index;
  }
  const indexes = [...new Set([0, lowest, highest, group.length - 1])].sort((left, right) => left - right);
  return indexes.map((index) => group[index]!);
}
