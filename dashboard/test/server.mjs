// The real server and real workers, each as a process of its own.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CodeWorker } from './code_worker.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const binary = process.env.SEMEL ?? join(root, 'build', 'release', 'semel');

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill())); // also when something here breaks

export class Server {
  key = '';
  workers = [];
  coders = [];

  static async start() {
    const server = new Server();
    server.folder = mkdtempSync(join(tmpdir(), 'semel-dashboard-'));
    await server.run('127.0.0.1:0');
    return server;
  }

  async run(address) {
    const place = ['--listen', address, '--grpc-listen', '127.0.0.1:0', '--store', `sqlite:${join(this.folder, 'semel.db')}`];
    this.process = spawn(binary, ['server', ...place], { cwd: this.folder, stdio: ['ignore', 'pipe', 'inherit'] });
    running.add(this.process);
    this.url = await new Promise((ready, failed) => {
      this.process.on('exit', (code) => failed(new Error(`the server ended with ${code}`)));
      this.process.stdout.on('data', (text) => {
        const found = /ready http=(\S+)/.exec(String(text));
        this.grpc = /grpc=(\S+)/.exec(String(text))?.[1] ?? this.grpc;
        if (found) ready(`http://${found[1]}`);
      });
    });
  }

  /** Ends, and is there again at the same address. */
  async restart(meanwhile) {
    await ended(this.process);
    await meanwhile();
    await this.run(new URL(this.url).host);
  }

  async stop() {
    for (const worker of this.coders) worker.stop();
    for (const worker of this.workers) await ended(worker);
    await ended(this.process);
    rmSync(this.folder, { recursive: true, force: true });
  }

  async call(method, path, body, { expect = [200, 201, 202, 204], key = this.key, type = 'application/json' } = {}) {
    const headers = { ...(body === undefined ? {} : { 'Content-Type': type }), ...(key ? { Authorization: `Bearer ${key}` } : {}) };
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(this.url + path, { method, headers, body: text });
    const given = await answer.text();
    if (!expect.includes(answer.status)) throw new Error(`${method} ${path}: ${answer.status} ${given}`);
    return given === '' ? undefined : JSON.parse(given);
  }
  get = (path, options) => this.call('GET', path, undefined, options);
  post = (path, body = {}, options) => this.call('POST', path, body, options);
  put = (path, body, options) => this.call('PUT', path, body, options);
  /** Reads until it is so; what was read then. */
  async until(path, isSo) {
    for (let tries = 0; tries < 10_000; ++tries) {
      const read = await this.get(path);
      if (isSo(read)) return read;
    }
    throw new Error(`${path} is never as it should be`);
  }
  /** The task_uuid of a new task. */
  submit = async (task) => (await this.post('/v1/tasks', task)).task_uuid;

  script(name, text) {
    const path = join(this.folder, name);
    writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return path;
  }

  /** A pipe that a handler waits at, by `cat NAME`, until it is opened. */
  gate(name) {
    const path = join(this.folder, name);
    spawnSync('mkfifo', [path]);
    return { open: () => writeFile(path, '') };
  }

  /** Does all that is ready in the queues, and ends. */
  work(queues, handler, options = []) {
    const done = spawnSync(binary, [...this.#worker(queues, options), '--exit-when-empty', '--', 'sh', handler], { cwd: this.folder, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`semel work ended with ${done.status}: ${done.stderr}`);
  }

  /** A worker that goes on until the server is stopped. */
  employ(queues, handler, options = []) {
    const worker = spawn(binary, [...this.#worker(queues, options), '--grace', '1s', '--', 'sh', handler], { cwd: this.folder, stdio: 'ignore' });
    running.add(worker);
    this.workers.push(worker);
    return worker;
  }

  /** A worker with the code of workflows, which goes on until the server is stopped. */
  run_code(options) {
    const worker = new CodeWorker(this.grpc, { key: this.key, ...options });
    this.coders.push(worker);
    return worker;
  }

  #worker(queues, options) {
    const key = this.key ? ['--key', this.key] : [];
    return ['work', '--url', this.url, ...key, ...queues.flatMap((queue) => ['--queue', queue]), ...options];
  }
}

export async function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = new Promise((done) => child.on('exit', done));
  child.kill('SIGTERM');
  await over;
}
