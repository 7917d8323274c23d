const words = (text: string) => text.trim().split(/\s+/);

const NOUNS = words(`
  code api test data review agent workflow file project document model database security performance pattern report component
  query pipeline schema deployment server client service framework tool command prompt context token page form chart table release
  issue branch commit change log metric alert trace incident backup migration index cache queue job event message stream socket
  user account role permission secret key certificate policy audit license invoice payment order customer product catalog price
  campaign email newsletter article post draft outline summary translation glossary transcript caption subtitle video audio image
  icon font color layout theme design system style guide animation slide deck diagram figure map dashboard widget sheet notebook
  dataset feature label experiment benchmark baseline metadata annotation embedding vector graph node edge tree cluster container
  image volume network proxy gateway route endpoint request response header cookie webhook plugin extension package module library
  dependency version lockfile bundle asset build artifact runner action hook script shell terminal editor snippet template
  scaffold boilerplate example tutorial lesson quiz course curriculum paper citation reference abstract proposal grant contract
  clause agreement meeting agenda minutes calendar task ticket sprint backlog roadmap milestone estimate budget forecast ledger
  spreadsheet statement receipt tax payroll recruiter resume interview onboarding survey feedback persona journey wireframe
  prototype mockup story scenario requirement specification decision record checklist standard convention rule lint format type
  interface contract mock fixture stub coverage regression fuzzing load stress smoke accessibility contrast keyboard focus screen
  reader locale currency timezone sensor device firmware robot simulation mesh texture shader scene sprite level game score genome
  protein molecule assay trial patient dose triage symptom weather climate soil crop map route fleet vehicle parcel warehouse`);

const TECHNOLOGIES = words(`
  python typescript react github docker kubernetes postgres redis terraform rust javascript nextjs aws graphql sql fastapi django
  swift kotlin android ios vue svelte angular tailwind figma notion slack jira excel pdf markdown latex mermaid playwright pytest
  jest cypress selenium ansible helm prometheus grafana kafka spark airflow dbt snowflake bigquery mongodb sqlite elasticsearch
  openapi grpc webassembly cloudflare vercel netlify supabase firebase stripe shopify wordpress unity godot blender ffmpeg pandas
  numpy pytorch tensorflow jupyter langchain ollama mcp git bash powershell nginx haproxy linux laravel rails spring golang java`);

const ADJECTIVES = words(`
  comprehensive automated structured modern secure scalable interactive production-ready reusable consistent detailed custom fast
  multi-step end-to-end semantic incremental real-time typed declarative reliable responsive accessible idempotent deterministic
  advanced lightweight portable distributed concurrent minimal opinionated annotated localised versioned reproducible streaming
  collaborative visual statistical legal clinical financial editorial technical internal public legacy nested parallel`);

const VERBS = words(`
  create analyze generate review build test validate optimize debug manage design implement write convert extract monitor deploy
  document refactor migrate summarize translate schedule inspect profile secure audit compare merge visualize plan classify
  annotate enrich collect publish render compile benchmark simulate forecast transcribe index archive`);

const STARTS = words(
  'ar bel cor dan el fen gal hex in jor kal lum mer nov or pri quan rev sol tra ul ver win xen yar zen bri cla dro flu gra kno plu sta tri vel',
);
const MIDDLES = words(
  'a e i o u an en in on ar er ir or al el il ol at et it ot av ev iv ov ax ex ix ox am em im om as es is os',
);
const ENDS = words(
  'bit cast dex flow gen hub io kit lab lytics mark mind ner pad path pilot port quest rix scope sync tron ula vox ware wise works za base box',
);
const INVENTED = STARTS.length * MIDDLES.length * ENDS.length;
/** Coprime to `INVENTED`, so that each word occurs once and consecutive words look different. */
const STRIDE = 104_729;

/** Real words, the most frequent first. A search for two of the first ones has many results. */
export const TOPICS: readonly string[] = [...new Set(interleave(NOUNS, TECHNOLOGIES))];
/** Topics, then invented product names. */
export const WORD_COUNT = TOPICS.length + INVENTED;

export const CATEGORIES = words(`
  development data testing design documents productivity devops security marketing product research writing education finance
  legal science health media games mobile cloud databases automation communication analytics accessibility robotics hardware
  localization operations`);

/** Words by frequency, the most frequent first. */
export function wordAt(rank: number): string {
  return TOPICS[rank] ?? inventedWord(rank - TOPICS.length);
}

/** Returns different words for all numbers below `INVENTED`. */
export function inventedWord(number: number): string {
  const at = (number * STRIDE) % INVENTED;
  const middle = Math.floor(at / STARTS.length);
  const end = Math.floor(middle / MIDDLES.length);
  return `${STARTS[at % STARTS.length]}${MIDDLES[middle % MIDDLES.length]}${ENDS[end % ENDS.length]}`;
}

export function verbAt(rank: number): { base: string; gerund: string; third: string } {
  const base = VERBS[rank % VERBS.length] as string;
  return { base, gerund: base.endsWith('e') ? `${base.slice(0, -1)}ing` : `${base}ing`, third: `${base}s` };
}

export const VERB_COUNT = VERBS.length;

export function adjectiveAt(rank: number): string {
  return ADJECTIVES[rank % ADJECTIVES.length] as string;
}

export const ADJECTIVE_COUNT = ADJECTIVES.length;

/** Inserts a word of `second` after every two of `first`. */
function interleave(first: string[], second: string[]): string[] {
  return first.flatMap((word, at) => (at % 2 ? [word, second[at >> 1]] : [word])).filter((word) => word !== undefined);
}
