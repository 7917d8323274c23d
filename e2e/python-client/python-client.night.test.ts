import { specifyPythonClient } from './specify-python-client.ts';

await specifyPythonClient({ slow: true });
