import { specifyPythonClient } from './python-client/specify-python-client.ts';

await specifyPythonClient('not slow', 300_000);
