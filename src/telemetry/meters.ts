// Creates the instruments of the registry in the meter of Temporal's runtime, so that one endpoint serves both.
import type { MetricMeter, MetricTags } from '@temporalio/common';
import { type Instrument, type InstrumentId, instruments } from './instruments.ts';

type Tags<Id extends InstrumentId> = Readonly<
  Record<(typeof instruments)[Id]['labels'][number], string>
>;

/** Adds to a counter, sets a gauge, or records a value in a histogram. */
export type Recorder = <Id extends InstrumentId>(id: Id, value: number, tags: Tags<Id>) => void;

/** Returns a recorder that creates instruments on first use, so that a process does not report unused metrics. */
export function createRecorder(meter: MetricMeter): Recorder {
  const writersById = new Map<InstrumentId, (value: number, tags: MetricTags) => void>();
  return (id, value, tags) => {
    const write = writersById.get(id) ?? instrumentOf(meter, instruments[id]);
    writersById.set(id, write);
    write(value, tags);
  };
}

function instrumentOf(meter: MetricMeter, { kind, name, unit, help }: Instrument) {
  switch (kind) {
    case 'counter': {
      const counter = meter.createCounter(name, unit, help);
      return (value: number, tags: MetricTags) => counter.add(value, tags);
    }
    case 'gauge': {
      const gauge = meter.createGauge(name, 'float', unit, help);
      return (value: number, tags: MetricTags) => gauge.set(value, tags);
    }
    case 'histogram': {
      const histogram = meter.createHistogram(name, 'float', unit, help);
      return (value: number, tags: MetricTags) => histogram.record(Math.max(0, value), tags);
    }
  }
}

/** Returns the bucket bounds of the histograms by name, for the exporters of Temporal's runtime. */
export function listBucketsByName(): { [name: string]: number[] } {
  const instrumentList: readonly Instrument[] = Object.values(instruments);
  return Object.fromEntries(
    instrumentList.flatMap(({ name, buckets }) =>
      buckets === undefined ? [] : [[name, [...buckets]]],
    ),
  );
}
