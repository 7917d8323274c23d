import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { serveUntilEnd } from '@agent-fleet/scripts/testing/serve-until-end';
import { commitFiles, git, REVIEW, writeFiles } from '@agent-fleet/scripts/testing/skill-repository';
import { expect, test } from '@jest/globals';
import { loadSkill } from '../src/content/skill-tree.ts';
import { openRepository } from '../src/sources/git-repository.ts';
import { openGitHubTree } from '../src/sources/github-tree.ts';

/** GitHub's API and raw files over a real repository. */
async function startGitHub(folder: string): Promise<{ api: string; raw: string }> {
  const url = await serveUntilEnd((req, res) => {
    const [, first, owner, name, ...rest] = decodeURIComponent(req.url ?? '').split(/[/?]/);
    if (first === 'repos' && owner === 'o' && name === 'r' && rest[0] === 'commits') {
      res.end(git(folder, 'rev-parse', rest[1] ?? '').trim());
    } else if (first === 'repos' && rest[0] === 'git') {
      const lines = git(folder, 'ls-tree', '-r', '-t', '-z', '-l', rest[2] ?? '')
        .split('\0')
        .filter(Boolean);
      const tree = lines.map((line) => {
        const [info = '', path] = line.split('\t');
        const [mode, , sha, size] = info.split(/ +/);
        return { path, mode, sha, ...(size !== '-' && { size: Number(size) }) };
      });
      res.end(JSON.stringify({ sha: git(folder, 'rev-parse', `${rest[2]}^{tree}`).trim(), truncated: false, tree }));
    } else if (first === 'raw') {
      const [commit, ...path] = [name, ...rest].slice(1);
      res.end(git(folder, 'cat-file', 'blob', `${commit}:${path.join('/')}`));
    } else res.writeHead(404).end();
  });
  return { api: url, raw: `${url}/raw` };
}

test('reads repositories on GitHub without Git, with the same result', async () => {
  const root = ownFolder();
  writeFiles(join(root, 'skills/review'), REVIEW);
  symlinkSync('scripts/run.sh', join(root, 'skills/review/run'));
  const commit = commitFiles(root, { 'README.md': 'r' });
  const hosts = await startGitHub(root);
  const tree = await openGitHubTree({ url: 'https://github.com/o/r.git' }, { fetch }, hosts);
  const repository = await openRepository({ url: `file://${root}` }, { env: process.env });
  try {
    expect(tree.commit).toBe(commit);
    expect(await tree.findSkillFiles('')).toEqual(await repository.findSkillFiles(''));
    expect(await loadSkill(tree, 'skills/review')).toEqual(await loadSkill(repository, 'skills/review'));
    expect(tree.treeId?.('skills/review')).toBe(repository.treeId?.('skills/review'));
    expect(tree.treeId?.('')).toBe(repository.treeId?.(''));
  } finally {
    repository.close();
  }
});
