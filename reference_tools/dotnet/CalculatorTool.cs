// testing_calculator: required arguments, an enumeration, and failures that are ordinary results.

using System;
using System.Numerics;
using System.Threading;
using System.Threading.Tasks;
using Aptix.Contract;

namespace Aptix.ReferenceTools
{
    /// <summary>Adds, subtracts, multiplies and divides two numbers.</summary>
    public sealed class CalculatorTool : IAgentTool
    {
        public const string ToolName = "testing_calculator";

        public const string ToolUsageMetadata = @"testing_calculator — Usage Guide

Primary purpose:
- Calculates with two numbers: one addition, subtraction, multiplication or division.

Rules:
- Use it when an answer depends on arithmetic that must be right, above all with long or fractional numbers.
- Do not use it for anything but these four operations, and not for sums that you know by heart.
- One call does one operation. For a longer calculation call it step by step, and use each result in the next step.
- Whole numbers are calculated exactly, and so is a division that comes out even. Everything else is calculated with
  floating point numbers: about 15 digits are right, so 0.1 plus 0.2 is not exactly 0.3.
- Numbers and results are limited to what a floating point number holds, about 1.8e308 either way.
- It has no side effects. The same arguments always give the same result (idempotent), and it is safe to call often.
- A call that was cancelled succeeds, says that it was cancelled, and has no result.

Arguments:
- operation: one of add, subtract, multiply, divide, written exactly so.
- left: the first number; for subtract the one to take away from, for divide the one to be divided.
- right: the second number; for subtract the one to take away, for divide the divisor, which must not be 0.

Error codes:
- INVALID_ARGUMENTS: an argument is missing, is not a number or is too large, or the operation is unknown. Correct
  it and call again.
- DIVISION_BY_ZERO: the divisor is 0. Tell the user that there is no result; the same call fails again.
- OVERFLOW: the result is too large. Tell the user; the same call fails again.
- UNEXPECTED_FAILURE: the calculation could not be made. Tell the user instead of guessing the result.

Good usage:
- The user asks what 1234.5 times 17 is: call with {""operation"": ""multiply"", ""left"": 1234.5, ""right"": 17}.
- The user wants 91 shared out among 7: call with {""operation"": ""divide"", ""left"": 91, ""right"": 7}.

Bad usage:
- Sending numbers as text: {""operation"": ""add"", ""left"": ""2"", ""right"": ""3""} is refused.
- Sending a formula, a percentage, or an operation such as ""sqrt"".
";

        private static readonly string[] Operations = { "add", "subtract", "multiply", "divide" };

        private readonly IAdminLogger logger;

        public CalculatorTool(IAdminLogger logger)
        {
            this.logger = logger;
        }

        public string Name
        {
            get { return ToolName; }
        }

        public bool IsToolFullyExecutedOnServer
        {
            get { return true; }
        }

        public static object GetSchema()
        {
            return new
            {
                type = "function",
                name = ToolName,
                description = "Calculates with two numbers: adds, subtracts, multiplies or divides them.",
                parameters = new
                {
                    type = "object",
                    properties = new
                    {
                        operation = new
                        {
                            type = "string",
                            @enum = new[] { "add", "subtract", "multiply", "divide" },
                            description = "What to do with the two numbers.",
                        },
                        left = new
                        {
                            type = "number",
                            description = "The first number: taken away from, or divided.",
                        },
                        right = new
                        {
                            type = "number",
                            description = "The second number: taken away, or divided by. Not 0 for divide.",
                        },
                    },
                    required = new[] { "operation", "left", "right" },
                },
            };
        }

        public Task<InvokeResult<string>> ExecuteAsync(
            string argumentsJson,
            AgentToolExecutionContext context,
            CancellationToken cancellationToken = default(CancellationToken))
        {
            return Task.FromResult(Execute(argumentsJson, context, cancellationToken));
        }

        private InvokeResult<string> Execute(string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken)
        {
            try
            {
                var result = new Result
                {
                    cancelled = cancellationToken.IsCancellationRequested,
                    conversationId = context?.Request?.ConversationId,
                    sessionId = context?.SessionId,
                };
                if (!result.cancelled)
                {
                    var args = Args.Parse(argumentsJson);
                    result.operation = args.Operation;
                    result.left = args.Left.Value;
                    result.right = args.Right.Value;
                    result.result = args.Calculate().Value;
                }
                return InvokeResult<string>.Create(Payload.Of(result));
            }
            catch (ArgumentFault fault)
            {
                return InvokeResult<string>.FromError(fault.Message, ArgumentFault.Code);
            }
            catch (DivideByZeroException)
            {
                return InvokeResult<string>.FromError("'right' must not be 0 for divide.", "DIVISION_BY_ZERO");
            }
            catch (OverflowException)
            {
                return InvokeResult<string>.FromError("The result is too large.", "OVERFLOW");
            }
            catch (Exception error)
            {
                logger.AddException("[CalculatorTool_ExecuteAsync__Exception]", error);
                return InvokeResult<string>.FromError("CalculatorTool could not calculate.", "UNEXPECTED_FAILURE");
            }
        }

        /// <summary>The arguments, checked, with their defaults.</summary>
        private sealed class Args
        {
            public string Operation;

            public Number Left;

            public Number Right;

            /// <exception cref="DivideByZeroException">The divisor is 0.</exception>
            /// <exception cref="OverflowException">The result is beyond the range of a double.</exception>
            public Number Calculate()
            {
                switch (Operation)
                {
                    case "add":
                        return Left.Plus(Right);
                    case "subtract":
                        return Left.Minus(Right);
                    case "multiply":
                        return Left.Times(Right);
                    default:
                        return Left.By(Right);
                }
            }

            public static Args Parse(string argumentsJson)
            {
                var given = Arguments.Parse(argumentsJson);
                return new Args
                {
                    Operation = given.RequiredChoice("operation", Operations),
                    Left = given.RequiredNumber("left"),
                    Right = given.RequiredNumber("right"),
                };
            }
        }

        /// <summary>The payload. These keys are published: they never change.</summary>
        private sealed class Result
        {
            public string operation { get; set; }

            public object left { get; set; }

            public object right { get; set; }

            public object result { get; set; }

            public bool cancelled { get; set; }

            public string conversationId { get; set; }

            public string sessionId { get; set; }
        }
    }
}
