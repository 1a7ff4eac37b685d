// A JSON number: an exact integer of any length, or a double.

using System;
using System.Numerics;

namespace Aptix.ReferenceTools
{
    internal struct Number
    {
        private readonly bool isExact;
        private readonly BigInteger exact;
        private readonly double real;

        public Number(BigInteger value)
        {
            isExact = true;
            exact = value;
            real = (double)value;
        }

        public Number(double value)
        {
            isExact = false;
            exact = BigInteger.Zero;
            real = value;
        }

        /// <summary>Whether it is within the range of a double.</summary>
        public bool IsFinite
        {
            get { return !double.IsNaN(real) && !double.IsInfinity(real); }
        }

        public bool IsWhole
        {
            get { return isExact || Math.Floor(real) == real; }
        }

        public BigInteger Whole
        {
            get { return isExact ? exact : new BigInteger(real); }
        }

        /// <summary>As it is written in JSON.</summary>
        public object Value
        {
            get { return isExact ? (object)exact : real; }
        }

        public Number Plus(Number other)
        {
            return Both(other) ? Checked(new Number(exact + other.exact)) : Checked(new Number(real + other.real));
        }

        public Number Minus(Number other)
        {
            return Both(other) ? Checked(new Number(exact - other.exact)) : Checked(new Number(real - other.real));
        }

        public Number Times(Number other)
        {
            return Both(other) ? Checked(new Number(exact * other.exact)) : Checked(new Number(real * other.real));
        }

        /// <summary>An exact integer where there is one.</summary>
        public Number By(Number other)
        {
            if (other.real == 0)
            {
                throw new DivideByZeroException();
            }
            if (Both(other) && (exact % other.exact).IsZero)
            {
                return new Number(exact / other.exact);
            }
            return Checked(new Number(real / other.real));
        }

        private bool Both(Number other)
        {
            return isExact && other.isExact;
        }

        private static Number Checked(Number number)
        {
            if (!number.IsFinite)
            {
                throw new OverflowException();
            }
            return number;
        }
    }
}
