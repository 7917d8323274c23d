import type { Draft, DraftSkill } from '../normalise/normalise.ts';
import { identityOf } from '../skills/ids.ts';
import { isListed } from '../skills/skill.ts';
import { ByteStore } from './byte-store.ts';
import { RecordColumns } from './record-columns.ts';
import { RegistrySets } from './registry-sets.ts';

/** `extra` is the last member of a skill. No text before it contains this, as quotes in texts are escaped. */
const EXTRA_MEMBER = ',"extra":{';
const MAX_BYTES_OF_UNIT = 3;
/** Lanes by first letter, of about equal size: the list is written in the order of names, and frees each lane. */
const LANE_STARTS = Array.from('bdfjpst', (letter) => letter.charCodeAt(0));

/**
 * The usable records of all sources as bytes and numbers: objects would take several times the memory. A record is the
 * served JSON without `id` and `registries`, which are only known at the end.
 */
export class CollectedSkills {
  readonly store = new ByteStore(LANE_STARTS.length + 2);
  readonly columns = new RecordColumns();
  readonly registries = new RegistrySets();
  /** Folded names by record, for sorting. */
  names: string[] = [];

  get count(): number {
    return this.columns.count;
  }

  add(draft: Draft, name: string, source: number): number {
    const { skill, base, upstreamId, host } = draft;
    const record = this.columns.add();
    this.names.push(name);
    this.columns.registries[record] = this.registries.of(source);
    this.columns.hasFileDigest[record] = Number(skill.digest_of === 'skill_md');
    this.columns.isListed[record] = Number(isListed(skill.kind));
    this.setId(record, base, upstreamId);
    // The host is not part of the skill.
    if (host !== undefined) this.setIdentity(record, identityOf(skill, upstreamId, host));
    this.#setSkill(record, skill);
    return record;
  }

  setId(record: number, base: string, upstreamId: string | undefined): void {
    const { columns, store } = this;
    this.rename(record, base);
    columns.upstreamLength[record] = 0;
    if (upstreamId === undefined) return;
    const upstream = JSON.stringify(upstreamId);
    store.reserve(upstream.length * MAX_BYTES_OF_UNIT);
    columns.upstreamStart[record] = store.position;
    columns.upstreamLength[record] = store.write(upstream);
  }

  rename(record: number, id: string): void {
    const { columns, store } = this;
    store.reserve(id.length * MAX_BYTES_OF_UNIT);
    columns.idStart[record] = store.position;
    columns.idLength[record] = store.write(id);
  }

  /** The lane of the JSON; ascends with the name. Lane 0 has all other texts. */
  laneOf(record: number): number {
    const first = (this.names[record] as string).charCodeAt(0);
    let lane = 1;
    for (let at = 0; at < LANE_STARTS.length; at++) if (first >= (LANE_STARTS[at] as number)) lane++;
    return lane;
  }

  #setSkill(record: number, skill: DraftSkill): void {
    const { columns, store } = this;
    const json = JSON.stringify(skill);
    store.reserve(json.length * MAX_BYTES_OF_UNIT, this.laneOf(record));
    columns.jsonStart[record] = store.position;
    const length = store.write(json);
    columns.jsonRoom[record] = length;
    this.#noteJson(record, skill, json, length);
  }

  /** Overwrites the JSON if there is room; else moves it, from the second change on with as much spare room. */
  replaceSkill(record: number, skill: DraftSkill): void {
    const { columns, store } = this;
    const json = JSON.stringify(skill);
    const bytes = Buffer.from(json);
    if (bytes.length > (columns.jsonRoom[record] as number)) {
      const room = bytes.length * (columns.isChanged[record] === 1 ? 2 : 1);
      store.reserve(room, this.laneOf(record));
      columns.jsonStart[record] = store.skip(room);
      columns.jsonRoom[record] = room;
    }
    store.put(columns.jsonStart[record] as number, bytes);
    this.#noteJson(record, skill, json, bytes.length);
    columns.isChanged[record] = 1;
  }

  #noteJson(record: number, skill: DraftSkill, json: string, length: number): void {
    const { columns } = this;
    // Skips the texts before it.
    const extraAt = json.indexOf(
      EXTRA_MEMBER,
      skill.name.length + skill.display_name.length + skill.description.length,
    );
    // With as many bytes as code units, it is ASCII.
    const headLength = length === json.length ? extraAt : Buffer.byteLength(json.slice(0, extraAt));
    columns.headLength[record] = headLength;
    columns.tailLength[record] = length - headLength;
    columns.hasExtraId[record] = Object.hasOwn(skill.extra, 'id') ? 1 : 0;
  }

  /** Fixes the identity before a merge changes the skill. */
  keepIdentity(record: number): void {
    if (this.columns.identityLength[record] === 0) this.setIdentity(record, this.identityOf(record));
  }

  setIdentity(record: number, identity: string): void {
    const { columns, store } = this;
    store.reserve(identity.length * MAX_BYTES_OF_UNIT);
    columns.identityStart[record] = store.position;
    columns.identityLength[record] = store.write(identity);
  }

  identityOf(record: number): string {
    const length = this.columns.identityLength[record] as number;
    if (length > 0) return this.store.text(this.columns.identityStart[record] as number, length);
    return identityOf(this.skillOf(record), this.upstreamIdOf(record));
  }

  idOf(record: number): string {
    return this.store.text(this.columns.idStart[record] as number, this.columns.idLength[record] as number);
  }

  upstreamIdOf(record: number): string | undefined {
    const length = this.columns.upstreamLength[record] as number;
    return length === 0 ? undefined : JSON.parse(this.store.text(this.columns.upstreamStart[record] as number, length));
  }

  skillOf(record: number): DraftSkill {
    return JSON.parse(this.store.text(this.columns.jsonStart[record] as number, this.#jsonLength(record)));
  }

  compareIds(left: number, right: number): number {
    const { idStart, idLength } = this.columns;
    return this.store.compare(
      idStart[left] as number,
      idLength[left] as number,
      idStart[right] as number,
      idLength[right] as number,
    );
  }

  compareJson(left: number, right: number): number {
    const { jsonStart } = this.columns;
    return this.store.compare(
      jsonStart[left] as number,
      this.#jsonLength(left),
      jsonStart[right] as number,
      this.#jsonLength(right),
    );
  }

  #jsonLength(record: number): number {
    return (this.columns.headLength[record] as number) + (this.columns.tailLength[record] as number);
  }
}
