// Runs the property tests again, with all runs.
process.env.PROPERTY_RUNS_SHARE = '1';
await import('../src/changes/feed.test.ts');
await import('../src/reading/registry-document.test.ts');
await import('../src/skills/ids.test.ts');
await import('../src/skills/records/normalise.test.ts');
await import('../src/skills/text.test.ts');
await import('./building/snapshot.test.ts');
await import('./search/find.test.ts');
await import('./search/hostile.test.ts');
