// The conformance tables on the sandbox, and on a live platform when RENDERLINE_CONFORMANCE_URL and _KEY are set.
import { runTables, startLive, startTestSandbox } from './_run.ts';
import { tables } from './api.testsuite.ts';

runTables(tables, startTestSandbox);

const { RENDERLINE_CONFORMANCE_URL: baseUrl, RENDERLINE_CONFORMANCE_KEY: apiKey } = process.env;
if (baseUrl && apiKey) runTables(tables, startLive(baseUrl, apiKey), true);
