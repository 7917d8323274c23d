// Runs the property tests again, with all runs.
process.env.PROPERTY_RUNS_SHARE = '1';
await import('../src/serve/feed.test.ts');
await import('../src/read/registry-document.test.ts');
await import('../src/skills/ids.test.ts');
await import('../src/normalise/normalise.test.ts');
await import('../src/skills/text.test.ts');
await import('./build/snapshot.test.ts');
await import('./search/find.test.ts');
await import('./search/hostile.test.ts');
