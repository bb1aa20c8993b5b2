// What Node.js gives a program, without types: any use of it is right.
declare module "*";
declare function require(name: string): any;
declare const process: any;
declare const console: any;
declare const module: any;
declare const exports: any;
declare const global: any;
declare const __filename: string;
declare const __dirname: string;
declare const Buffer: any;
type Buffer = any;
declare const performance: any;
declare const TextDecoder: any;
declare const TextEncoder: any;
declare const URL: any;
declare function queueMicrotask(callback: () => void): void;
declare function structuredClone<T>(value: T): T;
declare function setTimeout(callback: (...given: any[]) => void, ms?: number, ...given: any[]): any;
declare function setInterval(callback: (...given: any[]) => void, ms?: number, ...given: any[]): any;
declare function setImmediate(callback: (...given: any[]) => void, ...given: any[]): any;
declare function clearTimeout(timer?: any): void;
declare function clearInterval(timer?: any): void;
declare namespace NodeJS {
    type Timeout = any;
    type Timer = any;
    type ReadStream = any;
    type WriteStream = any;
    type ErrnoException = any;
}
